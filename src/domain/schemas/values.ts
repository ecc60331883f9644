/** Small shapes that many schemas share. */
import { z } from 'zod';
import { DURATION_RULE, durationMs } from '../durations.ts';
import type { Json } from '../json.ts';

/** ISO-8601 in UTC with a trailing Z: the only way an instant is written. */
export const Instant = z.iso.datetime({ error: 'must be an ISO-8601 instant in UTC, such as 2026-11-30T12:00:00Z' });

/** `"6h"`: kept as text, read by `durationMs`. */
export const Duration = z
  .string()
  .refine((text) => durationMs(text) !== undefined, { error: `must be ${DURATION_RULE}` });

/** An IANA name such as America/Sao_Paulo, checked against the zones this Node knows. */
export const TimeZone = z.string().refine(isTimeZone, { error: 'must be an IANA time zone such as America/Sao_Paulo' });

/** ISO 3166: a country, or a part of it that keeps holidays of its own: `BR`, `DE-BY`. */
export const Country = z
  .string()
  .regex(/^[A-Z]{2}(?:-[A-Z0-9]{1,3})?$/, { error: 'must be an ISO 3166 code such as BR or DE-BY' });

export const JsonValue: z.ZodType<Json> = z.json();

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return /^[A-Za-z]/.test(zone);
  } catch {
    return false;
  }
}

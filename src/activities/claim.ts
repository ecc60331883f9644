/** An effect as the ledger and the provider know it. */
import { createHash } from 'node:crypto';
import type { Desk } from '../desk/desk.ts';
import type { EffectKey } from '../domain/ids.ts';
import type { Effect } from '../domain/schemas/effects.ts';
import type { RunIdentity } from '../workflows/activity-types.ts';

/** The same for the same key, for ever; short enough for every provider, and telling nothing. */
export function referenceOf(key: string): string {
  return `at-${createHash('sha256').update(key).digest('base64url').slice(0, 32)}`;
}

/** What makes an effect known to the ledger, in the name of this attempt. */
export function claimOf(
  { tenant, subject, attachment }: RunIdentity,
  of: { readonly key: EffectKey; readonly effect: Effect; readonly attempt: string },
): Parameters<Desk['ledger']['claim']>[0] {
  return { ...of, tenant, subject, attachment, reference: referenceOf(of.key) };
}

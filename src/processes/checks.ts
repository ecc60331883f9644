/** What the doctor's checks have in common. */
import type { Check } from '../domain/checks.ts';

/** Longer, and whatever is asked is as good as not there. */
export const PROBE_TIMEOUT_MS = 3_000;
export const START = 'start everything with attache dev';

export function passed(name: string, detail: string): Check {
  return { name, ok: true, detail, remedy: null };
}

export function failed(name: string, detail: string, remedy: string): Check {
  return { name, ok: false, detail, remedy };
}

export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}

/** The hash of a value, whatever the order of its keys: what a decision is bound to. */
import { createHash } from 'node:crypto';

export function hashOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64url');
}

/** Keys in order, what is undefined left out: two values that are equal as JSON give one text. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item ?? null)).join(',')}]`;
  if (value === undefined) return 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.join(',')}}`;
}

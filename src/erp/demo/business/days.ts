/** Instants of the made-up business's days. */

/**
 * An instant of that day, `minute` 0 to 299: between 09:00 and 14:00 UTC, which is the same date in every zone from
 * −09:00 to +09:00, so that the generator needs to know none.
 */
export function instantOn(date: string, minute: number): string {
  return new Date(Date.parse(`${date}T09:00:00Z`) + minute * 60_000).toISOString();
}

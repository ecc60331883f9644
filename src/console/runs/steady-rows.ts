/**
 * A list that does not jump while its reader looks at it: what is shown keeps its place, what is new waits to be asked
 * for, and what no longer fits stays, marked, until the reader changes the list. Pure; tested without a browser.
 */
import type { Page, RunRow } from '../api/shapes.ts';

export interface SteadyRow {
  readonly run: RunRow;
  /** The filter no longer finds it. */
  readonly gone: boolean;
  /** Has come while the reader was here. */
  readonly fresh: boolean;
}
export interface SteadyList {
  readonly rows: readonly SteadyRow[];
  /** Found, and not shown yet. */
  readonly waiting: number;
}

/** `askedAt`: in ms of the page's clock. */
export interface ReadPage extends Page<RunRow> {
  readonly askedAt: number;
}
export interface LookedUp {
  readonly run: RunRow;
  readonly askedAt: number;
}

export const NOTHING_SHOWN: SteadyList = { rows: [], waiting: 0 };

export interface Latest {
  /** What the filter finds now, in the server's order. */
  readonly found: readonly RunRow[];
  /** There is more behind them: what was shown behind the last of them has only been pushed on. */
  readonly more: boolean;
  /** Runs that were looked up one by one, wherever they stand. */
  readonly lookedUp: ReadonlyMap<string, LookedUp>;
  readonly fits: (run: RunRow) => boolean;
}

/** @param before what is shown. */
export function settle(before: SteadyList, { found, more, lookedUp, fits }: Latest): SteadyList {
  const latest = new Map(found.map((run) => [run.id, run]));
  const shown = new Set(before.rows.map(({ run }) => run.id));
  const lastKept = before.rows.findLastIndex(({ run }) => latest.has(run.id));
  const kept = before.rows.flatMap((row, at): SteadyRow[] => {
    const run = lookedUp.get(row.run.id)?.run ?? latest.get(row.run.id) ?? row.run;
    if (!latest.has(run.id) && !lookedUp.has(run.id) && more && at > lastKept) return [];
    return [{ run, fresh: row.fresh, gone: !latest.has(run.id) && !fits(run) }];
  });
  const lastFound = found.findLastIndex(({ id }) => shown.has(id));
  // What lies behind everything that is shown was read on to, or is the whole of a list that was empty.
  const behind = shown.size === 0 || lastFound >= 0 ? found.slice(lastFound + 1) : [];
  const fresh = shown.size === 0 ? [] : found.slice(0, lastFound + 1).filter(({ id }) => !shown.has(id));
  const rows = [...kept, ...behind.map((run) => ({ run, gone: false, fresh: false }))];
  return { rows, waiting: lastFound < 0 && shown.size > 0 ? found.length : fresh.length };
}

/** What was looked up, without what a page has that was asked for later. @returns the same, where that is nothing. */
export function notReadSince(
  lookedUp: ReadonlyMap<string, LookedUp>,
  pages: readonly ReadPage[],
): ReadonlyMap<string, LookedUp> {
  const readAt = new Map(pages.flatMap(({ items, askedAt }) => items.map(({ id }) => [id, askedAt] as const)));
  const kept = [...lookedUp].filter(([id, { askedAt }]) => askedAt >= (readAt.get(id) ?? 0));
  return kept.length === lookedUp.size ? lookedUp : new Map(kept);
}

/** Everything that is found, in the server's order; what was not shown before is marked as having come. */
export function admit(before: SteadyList, found: readonly RunRow[]): SteadyList {
  const shown = new Set(before.rows.map(({ run }) => run.id));
  return { rows: found.map((run) => ({ run, gone: false, fresh: !shown.has(run.id) })), waiting: 0 };
}

/** A run that the reader has just begun stands before the one that it follows, by the same name, with whom that is about. */
export function follow(before: SteadyList, run: RunRow): SteadyList {
  const { subject, slot, id } = run;
  const at = before.rows.findIndex((row) => row.run.subject === subject && row.run.slot === slot);
  const last = before.rows[at];
  if (last === undefined || before.rows.some((row) => row.run.id === id)) return before;
  const begun = { run: { ...run, contact: last.run.contact ?? null }, gone: false, fresh: true };
  return { ...before, rows: before.rows.toSpliced(at, 0, begun) };
}

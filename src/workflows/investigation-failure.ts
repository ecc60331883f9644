/** What an action that failed for good has left behind, exactly. */
import { instant } from '../domain/instants.ts';
import type { ActionResult } from '../domain/schemas/investigations.ts';
import type { Undone } from './investigation-types.ts';

export const WHAT_IT_RESTS_ON_CHANGED = 'what it rests on has changed since it was agreed to';
export const NO_ANSWER = 'given up without an answer: whether it was done is not known';

export function afterUndo(
  result: ActionResult,
  undone: Undone | { readonly result: 'unknown' },
  now: number,
): ActionResult {
  const at = instant(now);
  switch (undone.result) {
    case 'undone':
      return { ...result, state: 'undone', at };
    case 'nothing_done':
      return { ...result, state: 'failed', detail: 'it was given up, and had not been done', at };
    case 'failed':
      return { ...result, state: 'undo_failed', detail: undone.detail, at };
    case 'unknown':
      return { ...result, state: 'undo_failed', detail: NO_ANSWER, at };
  }
}

/** For people: the books are as they were, or exactly this is left. */
export function summaryOfFailure(results: readonly ActionResult[]): string {
  const those = (state: ActionResult['state']) => results.filter((result) => result.state === state);
  const failed = results.findLast(
    ({ state, detail }) => state === 'failed' || (state === 'unknown' && detail !== null),
  );
  const parts = [
    failed === undefined ? 'an action failed' : `${failed.step} failed: ${failed.detail ?? 'no reason given'}`,
  ];
  const names = (found: readonly ActionResult[]) =>
    found.map(({ step, reference }) => `${step}${reference === null ? '' : ` (${reference})`}`).join(', ');
  const [undone, left, kept, unknown] = [those('undone'), those('undo_failed'), those('kept'), those('unknown')];
  if (undone.length > 0) parts.push(`undone: ${names(undone)}`);
  if (left.length > 0)
    parts.push(
      `left, to be put right by hand: ${left.map((each) => `${names([each])}: ${each.detail ?? ''}`).join('; ')}`,
    );
  if (unknown.length > 0) parts.push(`not known whether done: ${names(unknown)}`);
  if (kept.length > 0) parts.push(`done and not to be undone: ${names(kept)}`);
  if (left.length + kept.length + unknown.length === 0) parts.push('nothing is left of it');
  return parts.join('. ').slice(0, 2_000);
}

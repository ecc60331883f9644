/** A fact in the conversation it belongs to, and the writes that several kinds of facts share. */
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Subject } from '../../domain/ids.ts';
import type { ConversationRow } from '../schema.ts';
import type { Db } from '../database/database.ts';
import type { EventMeaning } from '../desk.ts';
import type { TellFailed } from '../sends/ledger.ts';
import { hasRunSince, heldByHuman, isOlderThanOwner } from '../conversations/ownership.ts';
import type { Changes } from './changes.ts';

export interface Placed {
  readonly tx: Db;
  readonly subject: Subject;
  readonly conversation: ConversationRow;
  readonly time: string;
  readonly changes: Changes;
  readonly tellFailed: TellFailed;
}

export const MEANS_NOTHING: EventMeaning = { ownEcho: false, humanTookOver: null, optOut: false };

/**
 * A human acted in the conversation: theirs from now on, unless somebody decided otherwise since. A run that was live when
 * it happened is told in any case, and an agent's claim made meanwhile yields.
 */
export async function takenOver(
  { tx, subject, conversation, time, changes }: Placed,
  cause: 'human_replied' | 'taken_over',
  by: string | undefined,
): Promise<EventMeaning> {
  const { tenant, owner } = conversation;
  const actor = by ?? 'human';
  const isOlder = isOlderThanOwner(conversation, time);
  const concernsRun = isOlder && (await hasRunSince(tx, { tenant, subject, time }));
  if (!isOlder || (concernsRun && owner === 'agent'))
    Object.assign(changes.conversation, heldByHuman({ at: time, by: actor }));
  return !isOlder || concernsRun ? { ...MEANS_NOTHING, humanTookOver: { cause, actor } } : MEANS_NOTHING;
}

/** Facts come in any order: an instant only moves forward. */
export function later(column: PgColumn, time: string): SQL {
  return sql`greatest(${column}, ${sql.param(time, column)})`;
}

/** A fact in the conversation it belongs to, and the writes that several kinds of facts share. */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Subject } from '../../domain/ids.ts';
import type { ConversationRow } from '../conversations.ts';
import type { Db } from '../database.ts';
import type { EventMeaning } from '../desk.ts';
import { hasRunSince, holdByHuman, isOlderThanOwner } from '../ownership.ts';
import { conversations } from '../schema.ts';

export interface Placed {
  readonly tx: Db;
  readonly subject: Subject;
  readonly conversation: ConversationRow;
  readonly time: string;
}

export const MEANS_NOTHING: EventMeaning = { ownEcho: false, humanTookOver: null, optOut: false };

/**
 * A human acted in the conversation: theirs from now on, unless somebody decided otherwise since. A run that was live when
 * it happened is told in any case, and an agent's claim made meanwhile yields.
 */
export async function takenOver(
  { tx, subject, conversation, time }: Placed,
  cause: 'human_replied' | 'taken_over',
  by: string | undefined,
): Promise<EventMeaning> {
  const { tenant, id, owner } = conversation;
  const actor = by ?? 'human';
  const isOlder = isOlderThanOwner(conversation, time);
  const concernsRun = isOlder && (await hasRunSince(tx, { tenant, subject, time }));
  if (!isOlder || (concernsRun && owner === 'agent')) await holdByHuman(tx, { tenant, id, at: time, by: actor });
  return !isOlder || concernsRun ? { ...MEANS_NOTHING, humanTookOver: { cause, actor } } : MEANS_NOTHING;
}

export function isThis({ tenant, id }: ConversationRow): SQL | undefined {
  return and(eq(conversations.tenant, tenant), eq(conversations.id, id));
}

/** Facts come in any order: an instant only moves forward. */
export function later(column: PgColumn, time: string): SQL {
  return sql`greatest(${column}, ${sql.param(time, column)})`;
}

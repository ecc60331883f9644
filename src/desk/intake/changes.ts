/** What a fact changes, gathered while it is thought through and written in one statement with the fact itself. */
import { and, eq, sql, type SQL, type SQLWrapper } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { type Named, nameWrites } from '../conversations/contacts.ts';
import { alongside, type Db } from '../database/database.ts';
import type { EventMeaning } from '../desk.ts';
import type { EventRow } from '../events/event-rows.ts';
import { contacts, conversations, type ConversationRow, events, messages } from '../schema.ts';

export class Changes {
  /** Columns of the conversation; later ones win. */
  readonly conversation: PgUpdateSetSource<typeof conversations> = {};
  /** Columns of the contact, and the names the fact has for them. */
  readonly contact: Partial<typeof contacts.$inferInsert> = {};
  contactId: string | null = null;
  names: Named | null = null;
  message: typeof messages.$inferInsert | null = null;

  /**
   * Writes all of it, and the events in their order. The caller holds the subject's lock, so that on one subject `seq` is
   * the order of commits.
   */
  async write(
    tx: Db,
    conversation: ConversationRow | null,
    rows: readonly (typeof events.$inferInsert)[],
  ): Promise<EventRow[]> {
    return tx
      .with(...alongside(tx, this.writes(tx, conversation)))
      .insert(events)
      .values([...rows])
      .returning();
  }

  /** The same for an event that is stored already and means something else than was thought: it is delivered once more. */
  async rewrite(
    tx: Db,
    conversation: ConversationRow,
    { key, meaning: { ownEcho, humanTookOver } }: { readonly key: string; readonly meaning: EventMeaning },
  ): Promise<void> {
    if (ownEcho) return;
    await tx
      .with(...alongside(tx, this.writes(tx, conversation)))
      .update(events)
      .set({
        ...{ ownEcho, status: 'stored', requeues: sql`${events.requeues} + 1` },
        ...{ tookOver: humanTookOver?.cause ?? null, tookOverBy: humanTookOver?.actor ?? null },
      })
      .where(eq(events.key, key));
  }

  private writes(tx: Db, conversation: ConversationRow | null): SQLWrapper[] {
    const { contactId, names, message } = this;
    const writes: SQLWrapper[] = [];
    if (contactId !== null && Object.keys(this.contact).length > 0)
      writes.push(tx.update(contacts).set(this.contact).where(eq(contacts.id, contactId)));
    if (contactId !== null && names !== null) writes.push(...nameWrites(tx, { ...names, contactId }));
    if (message !== null) writes.push(tx.insert(messages).values(message));
    if (conversation !== null && Object.keys(this.conversation).length > 0)
      writes.push(tx.update(conversations).set(this.conversation).where(isThis(conversation)));
    return writes;
  }
}

function isThis({ tenant, id }: ConversationRow): SQL | undefined {
  return and(eq(conversations.tenant, tenant), eq(conversations.id, id));
}

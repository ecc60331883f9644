/** All that the desk knows of a fact before it is stored, in one read. */
import { and, desc, eq, inArray, sql, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { type ConversationId, conversationOf } from '../../domain/ids.ts';
import { type ContactRow, kindOf, namesOf, type PartialRef } from '../conversations/contacts.ts';
import { type Db, theRow } from '../database/database.ts';
import { contactAddresses, contacts, conversations, type ConversationRow, events } from '../schema.ts';
import { type Fact, isByContact } from './fact.ts';
import { conversationOfMessage } from './own-traces.ts';

export interface Sight {
  /** Desk key of the same event, stored before. */
  readonly duplicate: string | null;
  /** The conversation of the message that the fact is about. */
  readonly ofMessage: ConversationId | null;
  /** Where the fact seems to belong: its subject, else its message's, else the person's latest in this very channel. */
  readonly conversation: ConversationRow | null;
  /** By the first of the fact's names that is known. */
  readonly named: ContactRow | null;
  /** Whose the conversation is. */
  readonly holder: ContactRow | null;
  /** Does the desk know all of the fact's names? */
  readonly knowsNames: boolean;
}

const holders = alias(contacts, 'holders');
const latest = alias(conversations, 'latest');

export async function look(
  db: Db,
  { fact, channel, ref }: { readonly fact: Fact; readonly channel: string | null; readonly ref: PartialRef },
): Promise<Sight> {
  const { tenant, event } = fact;
  const names = namesOf(ref);
  const ofMessage = event.subject === undefined ? conversationOfMessage(db, fact) : sql`null`;
  const seen = db
    .select({
      duplicate: sql<string | null>`${duplicateOf(db, fact)}`.as('duplicate'),
      ofMessage: sql<ConversationId | null>`${ofMessage}`.as('of_message'),
      knownNames: sql<number>`${countOf(db, { tenant, channel, names })}`.as('known_names'),
      person: sql<string | null>`${personNamed(db, { tenant, channel, names })}`.as('person'),
    })
    .from(sql`(select 1) as one`)
    .as('seen');
  const theirs = db
    .select({ id: latest.id })
    .from(latest)
    .where(
      and(
        eq(latest.contactId, sql`${seen.person}::uuid`),
        fact.channel === null ? undefined : eq(latest.channel, fact.channel),
      ),
    )
    .orderBy(desc(latest.openedAt))
    .limit(1);
  const id: SQL =
    event.subject === undefined
      ? isByContact(event)
        ? sql`coalesce(${seen.ofMessage}, ${theirs})`
        : sql`${seen.ofMessage}`
      : sql`${conversationOf(event.subject) ?? null}::text`;
  const rows = await db
    .select({
      duplicate: seen.duplicate,
      ofMessage: seen.ofMessage,
      knownNames: seen.knownNames,
      conversation: conversations,
      named: contacts,
      holder: holders,
    })
    .from(seen)
    .leftJoin(conversations, and(eq(conversations.tenant, tenant), eq(conversations.id, id)))
    .leftJoin(contacts, eq(contacts.id, sql`${seen.person}::uuid`))
    .leftJoin(holders, eq(holders.id, conversations.contactId));
  const { knownNames, ...sight } = theRow(rows);
  return { ...sight, knowsNames: knownNames === names.length };
}

interface Names {
  readonly tenant: Fact['tenant'];
  readonly channel: string | null;
  readonly names: readonly string[];
}

function duplicateOf(db: Db, { tenant, event }: Fact) {
  return db
    .select({ key: events.key })
    .from(events)
    .where(and(eq(events.tenant, tenant), eq(events.source, event.source), eq(events.id, event.id)));
}

function countOf(db: Db, named: Names) {
  if (named.names.length === 0) return sql`0`;
  return db
    .select({ count: sql`count(*)::int` })
    .from(contactAddresses)
    .where(isOneOf(named));
}

function personNamed(db: Db, named: Names) {
  if (named.names.length === 0) return sql`null`;
  const order = sql.join(
    named.names.map((name, n) => sql`when ${name}::text then ${sql.raw(String(n))}`),
    sql` `,
  );
  return db
    .select({ id: contactAddresses.contactId })
    .from(contactAddresses)
    .where(isOneOf(named))
    .orderBy(sql`case ${contactAddresses.address} ${order} end`)
    .limit(1);
}

function isOneOf({ tenant, channel, names }: Names): SQL | undefined {
  return and(
    eq(contactAddresses.tenant, tenant),
    eq(contactAddresses.kind, kindOf(channel)),
    inArray(contactAddresses.address, [...names]),
  );
}

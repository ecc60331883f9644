/**
 * The desk's tables, as drizzle queries them. `migrations/` builds them; a test checks that the two agree, indexes
 * included. Everything is scoped by tenant; instants are the provider's unless a comment says the database's.
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { AttachmentId, ConversationId, EffectKey, EventSubject, TenantId } from '../domain/ids.ts';
import type { Json } from '../domain/json.ts';
import type { DeliveryStatus, MessageAuthor } from '../domain/schemas/events.ts';
import { instant, json, words } from './database/columns.ts';
import type { EventMeaning, EventStatus, MessageRecord, Owner } from './desk.ts';

/** The database's clock at the moment of writing, not the transaction's start: a lock may have been waited for between. */
const storedAt = (column: string) =>
  instant(column)
    .notNull()
    .default(sql`clock_timestamp()`);

export const contacts = pgTable(
  'contacts',
  {
    id: uuid().primaryKey().defaultRandom(),
    tenant: text().$type<TenantId>().notNull(),
    address: words().notNull(),
    /** Time of the newest fact that named the person: older ones fill gaps only. */
    knownAt: instant('known_at').notNull(),
    name: words(),
    locale: words(),
    timeZone: words('time_zone'),
    country: words(),
    optedOutAt: instant('opted_out_at'),
    /** Time of the newest opt-out or opt-in. */
    consentAt: instant('consent_at'),
    /** Since when they want no marketing; null: they take it. */
    marketingStoppedAt: instant('marketing_stopped_at'),
    /** Time of the newest stop or resumption. */
    marketingToldAt: instant('marketing_told_at'),
    /** Name and address as a search reads them. */
    search: text()
      .notNull()
      .generatedAlwaysAs(sql`lower(coalesce(name, '') || chr(10) || address)`),
  },
  (table) => [index('contacts_tenant').on(table.tenant)],
);

/** Every name a person has at a kind of provider. */
export const contactAddresses = pgTable(
  'contact_addresses',
  {
    tenant: text().$type<TenantId>().notNull(),
    /** Kind of channel, such as `whatsapp`; `api` where no channel is known. */
    kind: words().notNull(),
    address: words().notNull(),
    contactId: uuid('contact_id')
      .notNull()
      .references(() => contacts.id),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.kind, table.address] })],
);

export const conversations = pgTable(
  'conversations',
  {
    tenant: text().$type<TenantId>().notNull(),
    id: text().$type<ConversationId>().notNull(),
    channel: words(),
    contactId: uuid('contact_id').references(() => contacts.id),
    owner: text().$type<Owner>().notNull().default('none'),
    ownerBy: words('owner_by'),
    ownerSince: instant('owner_since').notNull(),
    openedAt: instant('opened_at').notNull(),
    closedAt: instant('closed_at'),
    /** Of one that was opened anew: when it had been closed. */
    previouslyClosedAt: instant('previously_closed_at'),
    lastInboundAt: instant('last_inbound_at'),
    lastOutboundAt: instant('last_outbound_at'),
    lastHumanOutboundAt: instant('last_human_outbound_at'),
  },
  (table) => [
    primaryKey({ columns: [table.tenant, table.id] }),
    index('conversations_contact').on(table.contactId, table.openedAt),
    index('conversations_newest').on(table.tenant, table.openedAt, table.id),
    index('conversations_held')
      .on(table.tenant, table.ownerSince)
      .where(sql`owner = 'human' and closed_at is null`),
  ],
);
export type ConversationRow = typeof conversations.$inferSelect;

export const messages = pgTable(
  'messages',
  {
    id: uuid().primaryKey().defaultRandom(),
    seq: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    tenant: text().$type<TenantId>().notNull(),
    conversation: text().$type<ConversationId>().notNull(),
    direction: text().$type<'in' | 'out'>().notNull(),
    author: text().$type<MessageAuthor>().notNull(),
    by: words(),
    kind: text().$type<MessageRecord['kind']>().notNull(),
    text: words(),
    /** Of a message that is a file: how to get it from its provider. */
    media: json<NonNullable<MessageRecord['media']>>()(),
    private: boolean().notNull().default(false),
    at: instant().notNull(),
    storedAt: storedAt('stored_at'),
    status: text().$type<DeliveryStatus>(),
    error: words(),
    /** When its provider says that it was there, and that it was read. */
    deliveredAt: instant('delivered_at'),
    readAt: instant('read_at'),
    providerId: words('provider_id'),
    reference: words(),
    /** Of a send of ours. */
    effectKey: words('effect_key').$type<EffectKey>(),
    /** Of the newest edit. */
    editedAt: instant('edited_at'),
    /** Its author took it back; the text is gone. */
    deletedAt: instant('deleted_at'),
  },
  (table) => [
    index('messages_transcript').on(table.tenant, table.conversation, table.at, table.seq),
    index('messages_provider_id').on(table.tenant, table.providerId),
    index('messages_reference').on(table.tenant, table.reference),
    uniqueIndex('messages_effect').on(table.effectKey),
    index('messages_delivered')
      .on(table.tenant, table.at)
      .where(sql`direction = 'out' and status in ('delivered', 'read', 'played')`),
  ],
);

export const events = pgTable(
  'events',
  {
    key: uuid().primaryKey().defaultRandom(),
    seq: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    tenant: text().$type<TenantId>().notNull(),
    source: words().notNull(),
    id: words().notNull(),
    type: text().notNull(),
    subject: text().$type<EventSubject>(),
    time: instant().notNull(),
    storedAt: storedAt('stored_at'),
    data: json<Json>()().notNull(),
    status: text().$type<EventStatus>().notNull().default('stored'),
    attempts: integer().notNull().default(0),
    requeues: integer().notNull().default(0),
    problem: words(),
    stale: boolean().notNull().default(false),
    ownEcho: boolean('own_echo').notNull().default(false),
    tookOver: text('took_over').$type<NonNullable<EventMeaning['humanTookOver']>['cause']>(),
    tookOverBy: words('took_over_by'),
    optOut: boolean('opt_out').notNull().default(false),
    /** Of a dead letter that could not be read: which secret signed it. */
    seal: text(),
    /** An operator dropped it. The row stays, so that the provider's next repeat is still a duplicate. */
    droppedAt: instant('dropped_at'),
  },
  (table) => [
    unique('events_once').on(table.tenant, table.source, table.id),
    index('events_seq').on(table.tenant, table.seq),
    index('events_subject').on(table.tenant, table.subject, table.seq),
    index('events_status').on(table.tenant, table.status, table.seq),
    index('events_id').on(table.tenant, table.id),
    index('events_undelivered')
      .on(table.seq)
      .where(sql`status = 'stored'`),
    index('events_took_over')
      .on(table.tenant, table.subject, table.time)
      .where(sql`took_over is not null`),
  ],
);

/** Which attachment got which event: the horizon of deduplication. */
export const deliveries = pgTable(
  'deliveries',
  {
    eventKey: uuid('event_key')
      .notNull()
      .references(() => events.key),
    attachment: words().$type<AttachmentId>().notNull(),
    at: storedAt('at'),
  },
  (table) => [
    primaryKey({ columns: [table.eventKey, table.attachment] }),
    index('deliveries_attachment').on(table.attachment),
  ],
);

/** The tables of fan-outs; see `../schema.ts`. Instants are the database's clock. */
import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import type { FanOutState, FanOutTask, RecipientState } from '../../domain/fan-out.ts';
import type { AttachmentId, Slot, Subject, TenantId, Topic, WorkflowId } from '../../domain/ids.ts';
import { instant, json, words } from '../database/columns.ts';

/** Which live run follows what: gone when it ends. */
export const followers = pgTable(
  'followers',
  {
    tenant: text().$type<TenantId>().notNull(),
    topic: text().$type<Topic>().notNull(),
    attachment: words().$type<AttachmentId>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenant, table.topic, table.attachment] }),
    index('followers_attachment').on(table.attachment),
  ],
);

export const fanOuts = pgTable(
  'fan_outs',
  {
    id: uuid().primaryKey().defaultRandom(),
    seq: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    tenant: text().$type<TenantId>().notNull(),
    kind: text().$type<FanOutTask['kind']>().notNull(),
    /** Whoever asks twice with one key has asked once. */
    key: words().notNull(),
    task: json<FanOutTask>()().notNull(),
    /** Of a topic's: desk key. */
    event: uuid(),
    state: text().$type<FanOutState>().notNull(),
    total: integer().notNull(),
    done: integer().notNull().default(0),
    skipped: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    /** Attachment of the last recipient that was taken: the next come after it. */
    place: words().notNull().default(''),
    exhausted: boolean().notNull().default(false),
    createdAt: instant('created_at').notNull(),
    startedAt: instant('started_at'),
    /** When its workflow was last heard of. */
    touchedAt: instant('touched_at').notNull(),
    finishedAt: instant('finished_at'),
  },
  (table) => [
    unique('fan_outs_once').on(table.tenant, table.kind, table.key),
    index('fan_outs_newest').on(table.tenant, table.kind, table.seq),
    index('fan_outs_event').on(table.event, table.seq),
    index('fan_outs_running')
      .on(table.touchedAt)
      .where(sql`finished_at is null`),
    index('fan_outs_finished').on(table.finishedAt),
  ],
);

export const fanOutRecipients = pgTable(
  'fan_out_recipients',
  {
    fanOut: uuid('fan_out')
      .notNull()
      .references(() => fanOuts.id, { onDelete: 'cascade' }),
    attachment: words().$type<AttachmentId>().notNull(),
    subject: text().$type<Subject>().notNull(),
    slot: text().$type<Slot>().notNull(),
    workflowId: words('workflow_id').$type<WorkflowId>().notNull(),
    state: text().$type<RecipientState>().notNull().default('pending'),
    reason: words(),
    attempts: integer().notNull().default(0),
    at: instant(),
  },
  (table) => [
    primaryKey({ columns: [table.fanOut, table.attachment] }),
    index('fan_out_recipients_state').on(table.fanOut, table.state, table.attachment),
  ],
);

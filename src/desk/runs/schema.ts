/** The tables of runs, of their wake-ups and of what people asked of them; see `../schema.ts`. */
import { sql } from 'drizzle-orm';
import { bigint, boolean, doublePrecision, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { AgentKey, AttachmentId, Slot, Subject, TenantId, Topic, WorkflowId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Policy } from '../../domain/schemas/policy.ts';
import type { EndReason, Phase, RunStatus } from '../../domain/statuses.ts';
import { instant, json, words } from '../database/columns.ts';
import type { ActKind, TickRecord } from '../desk.ts';

export const runs = pgTable(
  'runs',
  {
    attachment: words().$type<AttachmentId>().primaryKey(),
    tenant: text().$type<TenantId>().notNull(),
    subject: text().$type<Subject>().notNull(),
    slot: text().$type<Slot>().notNull(),
    agent: text().$type<AgentKey>().notNull(),
    agentVersion: integer('agent_version'),
    status: text().$type<RunStatus>().notNull(),
    reason: text().$type<EndReason>(),
    phase: text().$type<Phase>(),
    actor: words(),
    comment: words(),
    attachedAt: instant('attached_at').notNull(),
    /** The database's clock, at the row's writing; null: from before it was written down. */
    storedAt: instant('stored_at').default(sql`clock_timestamp()`),
    endedAt: instant('ended_at'),
    nextRunAt: instant('next_run_at'),
    nextRunWhy: words('next_run_why'),
    ticks: integer().notNull(),
    failures: integer().notNull(),
    workflowId: words('workflow_id').$type<WorkflowId>().notNull(),
    /** US dollars spent on models; null: none was called. */
    costUsd: doublePrecision('cost_usd'),
    config: json<JsonObject>()().notNull(),
    state: json<JsonObject>()().notNull(),
    policy: json<Policy>()(),
    /** What it was asked to follow besides its agent's own topics. */
    topics: json<readonly Topic[]>()().notNull().default([]),
    /** Desk keys of events it had not consumed when it ended. */
    unhandled: json<readonly string[]>()().notNull().default([]),
    /** Why its wake-up cannot begin: no worker knows the agent, or can read what the run has. Null: nothing holds it up. */
    heldUp: words('held_up'),
    /** When the reconciler last compared it with Temporal, database clock. */
    checkedAt: instant('checked_at'),
    /** Its subject as a search reads it. */
    search: text()
      .notNull()
      .generatedAlwaysAs(sql`lower(subject)`),
  },
  (table) => [
    index('runs_name').on(table.tenant, table.subject, table.slot, table.attachedAt),
    index('runs_newest').on(table.tenant, table.attachedAt, table.attachment),
    index('runs_status').on(table.tenant, table.status, table.attachedAt, table.attachment),
    index('runs_agent').on(table.tenant, table.agent, table.attachedAt, table.attachment),
    index('runs_live')
      .on(table.tenant, table.attachment)
      .where(sql`status = 'IN_PROGRESS'`),
    index('runs_due')
      .on(table.tenant, table.nextRunAt, table.attachment)
      .where(sql`status = 'IN_PROGRESS'`),
    index('runs_failing')
      .on(table.tenant, table.nextRunAt, table.attachment)
      .where(sql`status = 'IN_PROGRESS' and failures > 0`),
    index('runs_ended')
      .on(table.tenant, table.endedAt, table.attachment)
      .where(sql`ended_at is not null`),
    index('runs_unchecked')
      .on(table.checkedAt.asc().nullsFirst())
      .where(sql`status = 'IN_PROGRESS'`),
  ],
);

/**
 * Since when a run was attached, against what the database's clock has timed. Another host's clock may be fast; whoever was told
 * of the attachment, and tells the desk something since, does so after its row was written.
 */
export const attachedByDesk = sql`least(${runs.attachedAt}, ${runs.storedAt})`;

export const ticks = pgTable(
  'ticks',
  {
    attachment: words().$type<AttachmentId>().notNull(),
    tick: integer().notNull(),
    attempt: integer().notNull(),
    why: text().$type<TickRecord['why']>().notNull(),
    dueAt: instant('due_at').notNull(),
    startedAt: instant('started_at').notNull(),
    endedAt: instant('ended_at').notNull(),
    events: json<readonly string[]>()().notNull(),
    outcome: json<TickRecord['outcome']>()().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.attachment, table.tick] }),
    index('ticks_started').using('brin', table.startedAt),
  ],
);

export const acts = pgTable(
  'acts',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    tenant: text().$type<TenantId>().notNull(),
    subject: text().$type<Subject>().notNull(),
    slot: text().$type<Slot>(),
    attachment: words().$type<AttachmentId>(),
    act: text().$type<ActKind>().notNull(),
    actor: words().notNull(),
    comment: words(),
    at: instant().notNull(),
    /** A takeover or detach that a live run may not have heard of. */
    pending: boolean().notNull().default(false),
  },
  (table) => [
    index('acts_subject').on(table.tenant, table.subject, table.at),
    index('acts_attachment').on(table.attachment, table.id),
    index('acts_pending')
      .on(table.id)
      .where(sql`pending`),
  ],
);

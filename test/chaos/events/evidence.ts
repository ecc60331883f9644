/** What is left behind when the storm is over: the desk's tables, read by themselves, and Temporal's histories. */
import type { Client } from '@temporalio/client';
import type postgres from 'postgres';

export const TENANT = 'chaos';

export interface EventRow {
  readonly key: string;
  readonly id: string;
  readonly type: string;
  readonly subject: string | null;
  readonly status: string;
  readonly problem: string | null;
  /** ms since 1970. */
  readonly stored: number;
  readonly tookover: boolean;
  readonly deliveries: number;
}

export interface TickRow {
  readonly subject: string;
  readonly attachment: string;
  readonly workflow: string;
  readonly tick: number;
  readonly events: readonly string[];
  readonly effects: number;
  readonly failed: boolean;
}

export interface SendRow {
  readonly key: string;
  readonly subject: string;
  readonly reference: string;
  readonly state: string;
  readonly reason: string | null;
  readonly sending: number | null;
}

export interface RunRow {
  readonly attachment: string;
  readonly workflow: string;
  readonly subject: string;
  readonly status: string;
  readonly reason: string | null;
  readonly phase: string | null;
  readonly due: number | null;
  /** Events it gave back when it ended. */
  readonly unhandled: readonly string[];
}

export interface Desk {
  readonly events: readonly EventRow[];
  readonly ticks: readonly TickRow[];
  readonly sends: readonly SendRow[];
  readonly runs: readonly RunRow[];
}

export async function readDesk(sql: postgres.Sql): Promise<Desk> {
  return {
    events: await sql<EventRow[]>`
      select key, id, type, subject, status, problem, extract(epoch from stored_at)::float8 * 1000 as stored,
        took_over is not null as tookover,
        (select count(*)::int from deliveries where event_key = key) as deliveries
      from events where tenant = ${TENANT} order by seq`,
    ticks: await sql<TickRow[]>`
      select runs.subject, ticks.attachment, runs.workflow_id as workflow, tick, events,
        coalesce(jsonb_array_length(outcome -> 'effects'), 0) as effects, outcome ->> 'kind' = 'failed' as failed
      from ticks join runs using (attachment) where tenant = ${TENANT} order by attachment, tick desc`,
    sends: await sql<SendRow[]>`
      select key, subject, reference, state, reason, extract(epoch from sending_since)::float8 * 1000 as sending
      from ledger where tenant = ${TENANT} and kind = 'message.send'`,
    runs: await sql<RunRow[]>`
      select attachment, workflow_id as workflow, subject, status, reason, phase,
        extract(epoch from next_run_at)::float8 * 1000 as due, unhandled
      from runs where tenant = ${TENANT}`,
  };
}

/** What is not settled yet, by what it is. */
export async function unsettled(sql: postgres.Sql): Promise<Readonly<Record<string, number>>> {
  const [row] = await sql<Record<string, number>[]>`
    select
      (select count(*)::int from events where tenant = ${TENANT} and status = 'stored') as undelivered,
      (select count(*)::int from ledger where tenant = ${TENANT} and state in ('claimed', 'sending')) as unsent,
      (select count(*)::int from runs where tenant = ${TENANT} and status = 'IN_PROGRESS'
        and (phase is distinct from 'asleep' or next_run_at is null or next_run_at < now())) as awake,
      (select count(*)::int from events
        join conversations on conversations.tenant = events.tenant and subject = 'conversation/' || conversations.id
        where events.tenant = ${TENANT} and type = 'message.inbound' and owner <> 'human'
        and key::text not in (select jsonb_array_elements_text(ticks.events) from ticks)) as unheard`;
  return row ?? {};
}

export interface Histories {
  /** Failed workflow tasks by cause. */
  readonly failedTasks: ReadonlyMap<string, number>;
  /** When a perform first answered that the fate of its call is unknown: ms since 1970, by effect key. */
  readonly ambiguous: ReadonlyMap<string, number>;
  /** Attachments whose workflow Temporal believes to run. */
  readonly running: ReadonlySet<string>;
}

const AT_ONCE = 16;
const RUNNING = 'RUNNING';

export async function readHistories(client: Client, runs: readonly RunRow[]): Promise<Histories> {
  const failedTasks = new Map<string, number>();
  const ambiguous = new Map<string, number>();
  const running = new Set<string>();
  const rest = [...runs];
  const lane = async () => {
    for (let run = rest.pop(); run !== undefined; run = rest.pop()) {
      const { workflow, attachment } = run;
      const described = await client.workflow
        .getHandle(workflow, undefined, { firstExecutionRunId: attachment })
        .describe();
      if (described.status.name === RUNNING) running.add(attachment);
      const { events } = await client.workflow.getHandle(workflow, attachment).fetchHistory();
      const keys = new Map<string, string>();
      for (const event of events ?? []) {
        const failed = event.workflowTaskFailedEventAttributes;
        if (failed != null) {
          const cause = String(failed.cause);
          failedTasks.set(cause, (failedTasks.get(cause) ?? 0) + 1);
        }
        const scheduled = event.activityTaskScheduledEventAttributes;
        if (scheduled?.activityType?.name === 'perform')
          keys.set(String(event.eventId), (valueOf(scheduled.input) as { key: string }).key);
        const done = event.activityTaskCompletedEventAttributes;
        const key = keys.get(String(done?.scheduledEventId));
        if (key === undefined) continue;
        const { reason } = valueOf(done?.result) as { reason?: string };
        if (reason === 'ambiguous' && !ambiguous.has(key)) ambiguous.set(key, Number(event.eventTime?.seconds) * 1_000);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return { failedTasks, ambiguous, running };
}

function valueOf(payloads: { payloads?: { data?: Uint8Array | null }[] | null } | null | undefined): unknown {
  const data = payloads?.payloads?.[0]?.data;
  return data == null ? {} : JSON.parse(Buffer.from(data).toString('utf8'));
}

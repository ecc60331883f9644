/** A wake-up, written down in one statement, which is built once: every wake-up pays for it. */
import { and, eq, getTableColumns, lte, type SQL, sql } from 'drizzle-orm';
import { isKey } from '../database/columns.ts';
import type { Db } from '../database/database.ts';
import type { Runs, TickRecord } from '../desk.ts';
import { acts, runs, ticks } from './schema.ts';
import { deliveries, events } from '../schema.ts';

const attachment = sql.placeholder('attachment');
const number = sql.placeholder('tick');

export function prepareRecordTick(db: Db): Runs['recordTick'] {
  const recorded = recordedTick(db);
  const statement = db
    .with(recorded, toldBy(db))
    .update(runs)
    .set({
      state: sql`coalesce(${sql.placeholder('state')}::jsonb, ${runs.state})`,
      nextRunAt: unlessAsked('snooze', runs.nextRunAt, sql`${sql.placeholder('nextRunAt')}::timestamptz`),
      nextRunWhy: unlessAsked('snooze', runs.nextRunWhy, sql`${sql.placeholder('nextRunWhy')}::text`),
      phase: unlessAsked('pause', runs.phase, sql`${sql.placeholder('phase')}::text`),
      failures: sql`${sql.placeholder('failures')}::integer`,
      ticks: sql`${number}::integer`,
      heldUp: null,
    })
    .where(
      and(
        ...[eq(runs.attachment, attachment), eq(runs.status, 'IN_PROGRESS'), lte(runs.ticks, number)],
        sql`exists (select 1 from ${recorded})`,
      ),
    )
    .prepare('record_tick');
  return async ({ tick, run: { failures, state, nextRunAt = null, nextRunWhy } }) => {
    await statement.execute({
      ...tick,
      failures,
      nextRunAt,
      state: state === undefined ? null : runs.state.mapToDriverValue(state),
      nextRunWhy: nextRunWhy === undefined ? null : runs.nextRunWhy.mapToDriverValue(nextRunWhy),
      phase: phaseAfter(tick),
      told: JSON.stringify(tick.events.filter(isKey)),
    });
  };
}

/** What it decided is done before it ends, which may take until tomorrow. */
function phaseAfter({ outcome: { kind } }: TickRecord): 'ending' | 'asleep' {
  return kind === 'finish' || kind === 'switched_off' ? 'ending' : 'asleep';
}

/** A wake-up that is tried again after its worker died has the same number: what the later attempt found counts. */
function recordedTick(db: Db) {
  const found = Object.entries(getTableColumns(ticks)).map(([name, column]): [string, SQL] => [
    name,
    sql`excluded.${sql.identifier(column.name)}`,
  ]);
  return db.$with('recorded').as(
    db
      .insert(ticks)
      .values({
        attachment,
        tick: number,
        attempt: sql.placeholder('attempt'),
        why: sql.placeholder('why'),
        dueAt: sql.placeholder('dueAt'),
        startedAt: sql.placeholder('startedAt'),
        endedAt: sql.placeholder('endedAt'),
        events: sql.placeholder('events'),
        outcome: sql.placeholder('outcome'),
      })
      .onConflictDoUpdate({
        target: [ticks.attachment, ticks.tick],
        set: Object.fromEntries(found),
        setWhere: sql`${ticks.startedAt} < excluded.started_at`,
      })
      .returning({ tick: ticks.tick }),
  );
}

/** What people asked for while it was thinking stands: the run itself keeps it too. */
function unlessAsked(act: 'pause' | 'snooze', column: (typeof runs)['nextRunAt' | 'nextRunWhy' | 'phase'], then: SQL) {
  return sql`case when exists (
    select 1 from ${acts} where ${acts.attachment} = ${attachment} and ${acts.act} = ${act} and ${acts.at} >= ${sql.placeholder('startedAt')}::timestamptz
  ) then ${column} else coalesce(${then}, ${column}) end`;
}

/**
 * What a tick was told has been delivered to its attachment, whoever delivered it: to a run that had no row yet, or was
 * only guessed, nobody else writes that down. It names the attachment that had the event, never one begun since.
 */
function toldBy(db: Db) {
  const keys = sql`(select told.key::uuid from jsonb_array_elements_text(${sql.placeholder('told')}::jsonb) as told (key))`;
  const known = sql`select ${events.key}, ${runs.attachment}, clock_timestamp() from ${events} join ${runs} on ${runs.tenant} = ${events.tenant}
    where ${runs.attachment} = ${attachment} and ${events.key} in ${keys}`;
  return db
    .$with('told')
    .as(db.insert(deliveries).select(known).onConflictDoNothing().returning({ key: deliveries.eventKey }));
}

/** For whom a fan-out is, as a condition on runs: asked when it begins, to count, and again for each page. */
import { and, lte, sql, type SQL } from 'drizzle-orm';
import { ms } from '../../domain/durations.ts';
import type { BulkFilter } from '../../domain/fan-out.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { RunCondition } from '../ports/runs.ts';
import { matches } from '../runs/run-lists.ts';
import { attachedByDesk, runs } from '../runs/schema.ts';
import { deliveries } from '../schema.ts';
import type { FanOutRow } from './rows.ts';

/**
 * Whoever was attached after the act was asked for, or after the event was stored, is not meant. A run that no longer
 * fits the filter when its turn comes is left alone; one that has the event already is not told again.
 */
export function recipientsOf({
  tenant,
  task,
  createdAt,
}: Pick<FanOutRow, 'tenant' | 'task' | 'createdAt'>): SQL | undefined {
  if (task.kind === 'bulk')
    return and(matches(conditionsOf({ tenant, filter: task.filter, at: createdAt })), lte(runs.attachedAt, createdAt));
  const delivered = sql`exists (select 1 from ${deliveries} where ${deliveries.eventKey} = ${task.event.id}::uuid and ${deliveries.attachment} = ${runs.attachment})`;
  return and(
    matches({ tenant, status: 'IN_PROGRESS', topic: task.topic }),
    sql`${attachedByDesk} <= ${sql.param(task.storedAt, runs.storedAt)}`,
    sql`not ${delivered}`,
  );
}

export function conditionsOf({
  tenant,
  filter: { dueWithin, costMin, q, ...filter },
  at,
}: {
  readonly tenant: TenantId;
  readonly filter: BulkFilter;
  readonly at: string;
}): RunCondition {
  return {
    ...{ tenant, status: 'IN_PROGRESS', ...filter },
    ...(dueWithin === undefined ? {} : { dueBefore: new Date(Date.parse(at) + ms(dueWithin)).toISOString() }),
    ...(costMin === undefined ? {} : { costAtLeast: costMin }),
    ...(q === undefined ? {} : { search: q }),
  };
}

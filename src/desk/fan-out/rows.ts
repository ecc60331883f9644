/** A row of `fan_outs` as the port knows it, and by what name it is found. */
import { and, eq, sql, type SQL } from 'drizzle-orm';
import { isKey } from '../database/columns.ts';
import type { FanOut, FanOutRef } from '../ports/fan-outs.ts';
import { fanOuts } from './schema.ts';

export type FanOutRow = typeof fanOuts.$inferSelect;

export function named({ tenant, id }: FanOutRef): SQL | undefined {
  return isKey(id) ? and(eq(fanOuts.tenant, tenant), eq(fanOuts.id, id)) : sql`false`;
}

export function toFanOut(row: FanOutRow): FanOut {
  const { id, tenant, task, state, total, done, skipped, failed, createdAt, startedAt, finishedAt } = row;
  return { id, tenant, task, state, total, done, skipped, failed, createdAt, startedAt, finishedAt };
}

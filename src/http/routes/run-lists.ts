/** Runs in lists, and how many there are of each kind. */
import { z } from 'zod';
import { RUN_SORTS } from '../../desk/ports/runs.ts';
import type { Desk, RunCondition } from '../../desk/desk.ts';
import { parseDuration } from '../../domain/durations.ts';
import type { TenantId } from '../../domain/ids.ts';
import { SubjectPrefix } from '../../domain/schemas/fan-out.ts';
import { AgentKeySchema, SlotSchema, SubjectSchema, TopicSchema } from '../../domain/schemas/ids.ts';
import { EndReasonSchema, RunStatusSchema } from '../../domain/schemas/runs.ts';
import { Duration, Instant } from '../../domain/schemas/values.ts';
import { PHASES } from '../../domain/statuses.ts';
import { ListedRun, RunCounts, Stats } from '../answers/runs.ts';
import { pageOf, PageQuery, present, type Routes } from '../route.ts';
import type { RunService } from '../run-service.ts';

const RunConditions = {
  status: RunStatusSchema.optional(),
  reason: EndReasonSchema.optional(),
  agent: AgentKeySchema.optional(),
  version: z.coerce.number().pipe(z.int().min(0).max(1_000_000)).optional(),
  phase: z.enum(PHASES).optional(),
  subject: SubjectSchema.optional(),
  subjectPrefix: SubjectPrefix.optional(),
  topic: TopicSchema.optional(),
  slot: SlotSchema.optional(),
  dueWithin: Duration.optional(),
  plannedFrom: Instant.optional(),
  plannedTo: Instant.optional(),
  failing: z.enum(['true', 'false']).optional(),
  costMin: z.coerce.number().pipe(z.number().min(0).max(1_000_000)).optional(),
  endedFrom: Instant.optional(),
  endedTo: Instant.optional(),
  q: z.string().trim().min(1).max(100).optional(),
};
const RunsQuery = z.strictObject({ ...RunConditions, sort: z.enum(RUN_SORTS).optional(), ...PageQuery });
const CountsQuery = z.strictObject(RunConditions);

export function runListRoutes(routes: Routes, service: RunService, desk: Desk): void {
  routes.add(
    {
      method: 'get',
      path: '/runs',
      role: 'viewer',
      summary: 'List runs; sort=trouble shows what fails or is late first; q looks in conversation, contact and run id',
      query: RunsQuery,
      answers: { 200: pageOf(ListedRun) },
    },
    async ({ tenant, query: { sort, limit, cursor, ...conditions } }) =>
      Response.json(await service.list({ ...conditionOf(tenant, conditions), ...present({ sort, limit, cursor }) })),
  );
  routes.add(
    {
      method: 'get',
      path: '/runs/counts',
      role: 'viewer',
      summary: 'How many runs there are of each kind, zeros left out; takes the filters of the list',
      query: CountsQuery,
      answers: { 200: RunCounts },
    },
    async ({ tenant, query }) => Response.json(await service.counts(conditionOf(tenant, query))),
  );
  routes.add(
    {
      method: 'get',
      path: '/stats',
      role: 'viewer',
      summary: 'Counts by status, reason and agent; how late the latest is; spend',
      answers: { 200: Stats },
    },
    async ({ tenant }) => {
      const { byStatus, byReason, byAgent, overdue, costUsd } = await desk.runs.stats(tenant);
      const lag = { overdue: overdue.count, maxMs: overdue.maxMs };
      return Response.json({ byStatus, byReason, byAgent, lag, spend: { costUsd } });
    },
  );
}

function conditionOf(
  tenant: TenantId,
  { dueWithin, failing, costMin, q, ...rest }: z.infer<typeof CountsQuery>,
): RunCondition {
  const due = dueWithin === undefined ? undefined : Date.now() + parseDuration(dueWithin, 'dueWithin');
  return {
    tenant,
    ...present({
      ...rest,
      dueBefore: due === undefined ? undefined : new Date(due).toISOString(),
      failing: failing === undefined ? undefined : failing === 'true',
      costAtLeast: costMin,
      search: q,
    }),
  };
}

/** Acts on many runs at once, how far they are, and the receipt; topics and what was told to them. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { FanOut, FanOutRef } from '../../desk/desk.ts';
import { pendingOf, RECIPIENT_STATES, type BulkTask } from '../../domain/fan-out.ts';
import type { TenantId } from '../../domain/ids.ts';
import {
  BulkPreview,
  BulkRequest,
  BulkView,
  FanOutView,
  ReceiptLine,
  type FanOutView as View,
} from '../../domain/schemas/fan-out.ts';
import type { HttpDeps } from '../deps.ts';
import { ProblemError } from '../problems.ts';
import { pageOf, PageQuery, present, type Routes } from '../route.ts';
import { ahead } from '../due-times.ts';
import { summaryOf } from '../run-views.ts';

/** Enough to see whether the filter means what was meant. */
const SAMPLE = 10;
const ReceiptQuery = z.strictObject({ state: z.enum(RECIPIENT_STATES).optional(), ...PageQuery });
const TopicView = z.object({ topic: z.string(), followers: z.int() });

type Deps = Pick<HttpDeps, 'desk' | 'fanOuts'>;

export function bulkRoutes(routes: Routes, deps: Deps): void {
  routes.add(
    {
      method: 'post',
      path: '/bulk',
      role: 'operator',
      summary: 'Act on every live run that fits a filter, at a steady pace; dryRun counts them and does nothing',
      body: BulkRequest,
      answers: { 200: z.union([BulkPreview, BulkView]), 202: BulkView },
    },
    async ({ tenant, body, actor, context }) => {
      if (body.dryRun) return Response.json(await preview(deps, tenant, body));
      // The desk keeps the key with the act: a repeat is the same act, whatever died in between.
      const key = context.req.header('idempotency-key') ?? randomUUID();
      const { fanOut, isNew } = await deps.fanOuts.act({ tenant, key, task: taskOf(body, actor(body.by)) });
      return Response.json(viewOf(fanOut), { status: isNew ? 202 : 200 });
    },
  );
  routes.add(
    {
      method: 'get',
      path: '/bulk',
      role: 'viewer',
      summary: 'List bulk acts, newest first',
      query: z.strictObject(PageQuery),
      answers: { 200: pageOf(BulkView) },
    },
    async ({ tenant, query }) => {
      const { items, nextCursor } = await deps.desk.fanOuts.list({ tenant, ...present(query) });
      return Response.json({ items: items.map(viewOf), nextCursor });
    },
  );
  oneRoutes(routes, deps);
  routes.add(
    {
      method: 'get',
      path: '/topics',
      role: 'viewer',
      summary: 'Topics that live runs follow',
      answers: { 200: pageOf(TopicView) },
    },
    async ({ tenant }) => Response.json({ items: await deps.desk.fanOuts.topics(tenant), nextCursor: null }),
  );
}

function oneRoutes(routes: Routes, { desk }: Deps): void {
  routes.add(
    {
      method: 'get',
      path: '/bulk/:bulk',
      role: 'viewer',
      summary: 'How far it is: a bulk act, or an event told to a topic',
      answers: { 200: FanOutView },
    },
    async ({ tenant, param }) => Response.json(viewOf(await found(desk, { tenant, id: param('bulk') }))),
  );
  routes.add(
    {
      method: 'get',
      path: '/bulk/:bulk/receipt',
      role: 'viewer',
      summary: 'What happened to each run so far',
      query: ReceiptQuery,
      answers: { 200: pageOf(ReceiptLine) },
    },
    async ({ tenant, param, query }) => {
      const { id } = await found(desk, { tenant, id: param('bulk') });
      const { items, nextCursor } = await desk.fanOuts.receipt({ tenant, id, ...present(query) });
      return Response.json({
        items: items.map(({ attachment, ...line }) => ({ id: attachment, ...line })),
        nextCursor,
      });
    },
  );
  routes.add(
    {
      method: 'post',
      path: '/bulk/:bulk/cancel',
      role: 'operator',
      summary: 'Stop it: whoever’s turn has begun has it, nobody else',
      answers: { 200: FanOutView },
    },
    async ({ tenant, param }) => {
      const stopped = await desk.fanOuts.cancel({ tenant, id: param('bulk') });
      if (stopped === null) throw notFound(param('bulk'));
      return Response.json(viewOf(stopped));
    },
  );
}

async function preview({ desk }: Deps, tenant: TenantId, body: BulkRequest): Promise<z.infer<typeof BulkPreview>> {
  const { total, sample } = await desk.fanOuts.preview({ tenant, filter: filterOf(body), sample: SAMPLE });
  return { dryRun: true, action: body.action, total, sample: sample.map(summaryOf) };
}

/** Bulk acts are for live runs, whether that is said or not. */
function filterOf({ filter }: BulkRequest): BulkTask['filter'] {
  return present({ ...filter, status: undefined });
}

/** @throws {ProblemError} `invalid` for an instant that is past. */
function taskOf(body: BulkRequest, actor: string): BulkTask {
  return {
    kind: 'bulk',
    action: body.action,
    filter: filterOf(body),
    ...(body.until === undefined ? {} : { until: ahead('until', Date.parse(body.until)) }),
    ...(body.for === undefined ? {} : { for: body.for }),
    actor,
    comment: body.reason ?? null,
  };
}

/** @throws {ProblemError} `bulk_not_found` */
async function found(desk: HttpDeps['desk'], ref: FanOutRef): Promise<FanOut> {
  const fanOut = await desk.fanOuts.get(ref);
  if (fanOut === null) throw notFound(ref.id);
  return fanOut;
}

function notFound(id: string): ProblemError {
  return new ProblemError('bulk_not_found', `there is no bulk act or fan-out ${id.slice(0, 120)}`);
}

export function viewOf(fanOut: FanOut): View {
  const { id, task, state, total, done, skipped, failed, createdAt, startedAt, finishedAt } = fanOut;
  const pending = pendingOf(fanOut);
  const counted = { state, total, done, skipped, failed, pending, createdAt, startedAt, finishedAt };
  if (task.kind === 'topic') return { id, kind: 'topic', topic: task.topic, event: task.event.id, ...counted };
  const { action, filter, until = null, for: length = null, actor, comment } = task;
  return { id, kind: 'bulk', action, filter: { ...filter }, until, for: length, actor, comment, ...counted };
}

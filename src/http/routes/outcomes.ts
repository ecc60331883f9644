/** How runs ended, over time; and what the week ahead holds. From the desk's record, which outlives Temporal's. */
import { z } from 'zod';
import { OUTCOME_GROUPS, type CalendarHour, type OutcomeCount } from '../../desk/ports/reports.ts';
import { AgentKeySchema } from '../../domain/schemas/ids.ts';
import { Instant } from '../../domain/schemas/values.ts';
import { END_REASONS, RUN_STATUSES } from '../../domain/statuses.ts';
import { Calendar, Outcomes, type EndedGroup } from '../answers/outcomes.ts';
import type { HttpDeps } from '../deps.ts';
import { invalidField } from '../problems.ts';
import { present, type Routes } from '../route.ts';

const DAY_MS = 86_400_000;
const DEFAULT_SPAN_MS = 30 * DAY_MS;
const LONGEST_SPAN_MS = 400 * DAY_MS;
const CALENDAR_DAYS = 7;
/** An hour that holds this much more than the others' mean, and at least so much, is a pile-up. */
const PILE_UP_FACTOR = 3;
const PILE_UP_LEAST = 25;

const Query = z.strictObject({
  from: Instant.optional(),
  to: Instant.optional(),
  by: z.enum(OUTCOME_GROUPS).default('day'),
  agent: AgentKeySchema.optional(),
  version: z.coerce.number().pipe(z.int().min(0).max(1_000_000)).optional(),
  format: z.enum(['json', 'csv']).optional(),
});
export function outcomeRoutes(routes: Routes, { desk, tenants }: Pick<HttpDeps, 'desk' | 'tenants'>): void {
  const zoneOf = (tenant: string) => tenants.list().find(({ id }) => id === tenant)?.timeZone ?? 'UTC';
  routes.add(
    {
      method: 'get',
      path: '/outcomes',
      role: 'viewer',
      summary:
        'How runs ended from `from` until before `to` (the last 30 days), by day, agent, version, status or reason; CSV by Accept or format',
      query: Query,
      answers: { 200: Outcomes },
      csv: true,
    },
    async ({ tenant, query: { by, format, from, to, ...rest }, context }) => {
      const span = spanOf(from, to);
      const zone = zoneOf(tenant);
      const query = { tenant, ...span, ...present(rest) };
      const counts = await desk.reports.outcomes({ ...query, by, zone });
      const items = [...new Set(counts.map(({ group }) => group))].map((group) => grouped(group, counts));
      const wantsCsv = format === 'csv' || (format === undefined && context.req.header('accept') === 'text/csv');
      if (wantsCsv) return csv(by, items);
      const total = grouped(null, counts);
      const [funnel, lag] = await Promise.all([desk.reports.funnel(query), desk.reports.lag(query)]);
      return Response.json({ ...span, zone, by, total, items, funnel, lag } satisfies Outcomes);
    },
  );
  routes.add(
    {
      method: 'get',
      path: '/calendar',
      role: 'viewer',
      summary: 'Wake-ups and held messages of the next seven days by hour of the tenant’s zone, pile-ups flagged',
      query: z.strictObject({}),
      answers: { 200: Calendar },
    },
    async ({ tenant }) => {
      const [from, to] = [Date.now(), Date.now() + CALENDAR_DAYS * DAY_MS].map((at) => new Date(at).toISOString());
      const zone = zoneOf(tenant);
      const hours = await desk.reports.calendar({ tenant, until: to ?? '', zone });
      return Response.json({ zone, from, to, ...calendarOf(hours) });
    },
  );
}

/** @throws {ProblemError} `invalid` */
function spanOf(from: string | undefined, to: string | undefined): { from: string; to: string } {
  const end = to === undefined ? Date.now() : Date.parse(to);
  const begin = from === undefined ? end - DEFAULT_SPAN_MS : Date.parse(from);
  if (begin >= end) throw invalidField('from', 'must lie before to');
  if (end - begin > LONGEST_SPAN_MS) throw invalidField('from', 'must lie at most 400 days before to');
  return { from: new Date(begin).toISOString(), to: new Date(end).toISOString() };
}

/** @param group null: all of them. */
function grouped(group: string | null, counts: readonly OutcomeCount[]): EndedGroup {
  const its = counts.filter((one) => group === null || one.group === group);
  const status: EndedGroup['status'] = {};
  const reason: EndedGroup['reason'] = {};
  for (const one of its) {
    status[one.status] = (status[one.status] ?? 0) + one.count;
    if (one.reason !== null) reason[one.reason] = (reason[one.reason] ?? 0) + one.count;
  }
  const ended = its.reduce((sum, one) => sum + one.count, 0);
  const share = (of = 0) => (ended === 0 ? null : of / ended);
  const costs = its.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    group: group ?? '',
    ...{ ended, status, reason },
    completion: share((status.COMPLETED ?? 0) + (reason.customer_replied ?? 0)),
    takeover: share(status.EXITED_ON_OUTBOUND),
    failure: share(status.REMOVED_BY_SYSTEM),
    ticks: its.reduce((sum, one) => sum + one.ticks, 0),
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

function csv(by: string, items: readonly EndedGroup[]): Response {
  const statuses = RUN_STATUSES.filter((status) => status !== 'IN_PROGRESS');
  const head = [by, 'ended', ...statuses, ...END_REASONS, 'completion', 'takeover', 'failure', 'ticks', 'costUsd'];
  const lines = items.map(({ group, ended, status, reason, completion, takeover, failure, ticks, costUsd }) => [
    ...[group, ended, ...statuses.map((one) => status[one] ?? 0), ...END_REASONS.map((one) => reason[one] ?? 0)],
    ...[completion ?? '', takeover ?? '', failure ?? '', ticks, costUsd ?? ''],
  ]);
  const text = [head, ...lines].map((cells) => cells.join(',')).join('\r\n');
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="outcomes-by-${by}.csv"`,
  };
  return new Response(`${text}\r\n`, { headers });
}

function calendarOf(hours: readonly CalendarHour[]): Pick<Calendar, 'pileUpFrom' | 'items'> {
  const byHour = new Map<string, CalendarHour[]>();
  for (const hour of hours) byHour.set(hour.at, [...(byHour.get(hour.at) ?? []), hour]);
  const sum = (of: readonly CalendarHour[], what: 'wakeUps' | 'sends') =>
    of.reduce((total, one) => total + one[what], 0);
  const all = sum(hours, 'wakeUps') + sum(hours, 'sends');
  const pileUpFrom = Math.max(PILE_UP_LEAST, Math.ceil((PILE_UP_FACTOR * all) / Math.max(1, byHour.size)));
  const items = [...byHour].map(([at, its]) => {
    const [wakeUps, sends] = [sum(its, 'wakeUps'), sum(its, 'sends')];
    const agents = its.map(({ agent, wakeUps: wakes, sends: held }) => ({ agent, wakeUps: wakes, sends: held }));
    return { at, wakeUps, sends, pileUp: wakeUps + sends >= pileUpFrom, agents };
  });
  return { pileUpFrom, items };
}

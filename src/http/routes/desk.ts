/** What the desk keeps and anybody with a key may look at: transcripts, counts, and the kill switches. */
import { z } from 'zod';
import { parseAgentKey, parseConversationId } from '../../domain/ids.ts';
import type { ShutChannel, Switch } from '../../desk/desk.ts';
import { END_REASONS, RUN_STATUSES } from '../../domain/statuses.ts';
import { stopperOf } from '../../domain/switches.ts';
import type { HttpDeps } from '../deps.ts';
import { invalidField, ProblemError } from '../problems.ts';
import { Asker, pageOf, PageQuery, present, type Routes } from '../route.ts';

const file = { kind: z.string(), mimeType: z.string().nullable(), fileName: z.string().nullable() };
const Message = z.looseObject({
  id: z.string(),
  conversation: z.string(),
  direction: z.enum(['in', 'out']),
  author: z.string(),
  by: z.string().nullable(),
  kind: z.string(),
  text: z.string().nullable(),
  /** A file: GET …/messages/{id}/media; those of `more` by `?file=1`, `?file=2`… */
  media: z.looseObject({ ...file, more: z.array(z.looseObject(file)).optional() }).nullable(),
  private: z.boolean(),
  at: z.string(),
  status: z.string().nullable(),
  error: z.string().nullable(),
});
const Stats = z.object({
  byStatus: z.partialRecord(z.enum(RUN_STATUSES as [string, ...string[]]), z.int()),
  byReason: z.partialRecord(z.enum(END_REASONS as [string, ...string[]]), z.int()),
  byAgent: z.array(z.object({ agent: z.string(), status: z.string(), count: z.int() })),
  lag: z.object({ overdue: z.int(), maxMs: z.number() }),
});
export const SwitchSchema = z.object({
  scope: z.enum(['tenant', 'agent', 'channel']),
  key: z.string(),
  by: z.string(),
  reason: z.string().nullable(),
  at: z.string(),
});
/** What was asked for is in force; the warning says why it may not do what was meant. */
const SwitchedOff = SwitchSchema.extend({ warning: z.string().nullable() });
const ChannelSchema = z.object({
  key: z.string(),
  kind: z.string(),
  /** False: it only tells; agents cannot write through it. */
  sends: z.boolean(),
  delivered: z.array(z.object({ month: z.string(), service: z.int(), template: z.int() })),
  lastInboundAt: z.string().nullable(),
  lastOutboundAt: z.string().nullable(),
  /** Our sends of the last 24 hours. */
  lately: z.object({ sent: z.int(), failed: z.int() }),
  /** The kill switch that stops it; null: none does. */
  off: SwitchSchema.nullable(),
  /** The provider refuses our token or our account, with this code; then one message is let through to see. Null: it does not. */
  shut: z.object({ code: z.string(), since: z.string(), until: z.string() }).nullable(),
});
const SWITCH = '/switches/:scope/:key';

export function deskRoutes(
  routes: Routes,
  { desk, channelsOf, agents }: Pick<HttpDeps, 'desk' | 'channelsOf' | 'agents'>,
): void {
  channelsRoute(routes, { desk, channelsOf });
  routes.add(
    {
      method: 'get',
      path: '/conversations/:conversation/messages',
      role: 'viewer',
      summary: 'The transcript, oldest first; older pages by cursor',
      query: z.strictObject(PageQuery),
      answers: { 200: pageOf(Message) },
    },
    async ({ tenant, param, query }) => {
      const conversation = parseConversationId(param('conversation'));
      if ((await desk.conversations.get(tenant, conversation)) === null)
        throw new ProblemError('conversation_not_found', `the desk knows no conversation ${conversation}`);
      return Response.json(await desk.conversations.messages({ tenant, conversation, ...present(query) }));
    },
  );
  routes.add(
    {
      method: 'get',
      path: '/stats',
      role: 'viewer',
      summary: 'Counts by status, reason and agent; how late the latest is',
      answers: { 200: Stats },
    },
    async ({ tenant }) => {
      const { byStatus, byReason, byAgent, overdue } = await desk.runs.stats(tenant);
      return Response.json({ byStatus, byReason, byAgent, lag: { overdue: overdue.count, maxMs: overdue.maxMs } });
    },
  );
  routes.add(
    {
      method: 'get',
      path: '/switches',
      role: 'viewer',
      summary: 'What is switched off',
      answers: { 200: pageOf(SwitchSchema) },
    },
    async ({ tenant }) => Response.json({ items: (await desk.switches.list(tenant)).map(shown), nextCursor: null }),
  );
  routes.add(
    { method: 'get', path: SWITCH, role: 'viewer', summary: 'One switch', answers: { 200: SwitchSchema } },
    async ({ tenant, param }) => {
      const { scope, key } = switchOf(param('scope'), param('key'));
      const entry = (await desk.switches.list(tenant)).find((one) => one.scope === scope && one.key === key);
      if (entry === undefined) throw new ProblemError('switch_not_found', `${scope}/${key} is not switched off`);
      return Response.json(shown(entry));
    },
  );
  routes.add(
    {
      method: 'put',
      path: SWITCH,
      role: 'admin',
      summary: 'Switch off: no tick and no send that it covers',
      body: Asker,
      bodyIs: 'optional',
      act: 'switches.off',
      answers: { 200: SwitchedOff },
    },
    async ({ tenant, param, body, actor }) => {
      const entry: Switch = {
        tenant,
        ...switchOf(param('scope'), param('key')),
        by: actor(body.by),
        reason: body.reason ?? null,
        at: new Date().toISOString(),
      };
      await desk.switches.turnOff(entry);
      return Response.json({ ...shown(entry), warning: await warningOf({ desk, channelsOf, agents }, entry) });
    },
  );
  routes.add(
    {
      method: 'delete',
      path: SWITCH,
      role: 'admin',
      summary: 'Switch on again',
      body: Asker,
      bodyIs: 'optional',
      act: 'switches.on',
      answers: { 204: 'it is on' },
    },
    async ({ tenant, param }) => {
      await desk.switches.turnOn({ tenant, ...switchOf(param('scope'), param('key')) });
      return new Response(null, { status: 204 });
    },
  );
}

/** A year and the month that runs: what an invoice is held against. */
const MONTHS_SHOWN = 13;

function channelsRoute(routes: Routes, { desk, channelsOf }: Pick<HttpDeps, 'desk' | 'channelsOf'>): void {
  routes.add(
    {
      method: 'get',
      path: '/channels',
      role: 'viewer',
      summary: 'Channels, with the messages that reached their reader by month (UTC): free-form ones and templates',
      answers: { 200: pageOf(ChannelSchema) },
    },
    async ({ tenant }) => {
      const now = new Date();
      const since = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - MONTHS_SHOWN + 1)).toISOString();
      const [counts, health, switches, shutOnes] = await Promise.all([
        desk.conversations.delivered({ tenant, since }),
        desk.reports.channels(tenant),
        desk.switches.list(tenant),
        desk.shutChannels.list(tenant),
      ]);
      const items = channelsOf(tenant).map(({ key, kind, sends = true }) => {
        const known = health.find(({ channel }) => channel === key);
        const off = stopperOf(switches, { scope: 'channel', key });
        return {
          ...{ key, kind, sends },
          delivered: counts
            .filter(({ channel }) => channel === key)
            .map(({ month, service, template }) => ({ month, service, template })),
          lastInboundAt: known?.lastInboundAt ?? null,
          lastOutboundAt: known?.lastOutboundAt ?? null,
          lately: { sent: known?.sent ?? 0, failed: known?.failed ?? 0 },
          off: off === undefined ? null : shown(off),
          shut: shutOf(shutOnes.find(({ channel }) => channel === key)),
        };
      });
      return Response.json({ items, nextCursor: null });
    },
  );
}

function shutOf(shut: ShutChannel | undefined): z.infer<typeof ChannelSchema>['shut'] {
  return shut === undefined ? null : { code: shut.code, since: shut.since, until: shut.until };
}

/** A switch for a name that nobody has stops nothing. An agent that this server no longer knows may still have live runs. */
async function warningOf(
  { desk, channelsOf, agents }: Pick<HttpDeps, 'desk' | 'channelsOf' | 'agents'>,
  { tenant, scope, key }: Switch,
): Promise<string | null> {
  if (scope === 'tenant') return null;
  const names = scope === 'agent' ? agents.list().map((one) => one.key) : channelsOf(tenant).map((one) => one.key);
  if (names.some((name) => name === key)) return null;
  const isLive = ({ agent, status }: { agent: string; status: string }) => agent === key && status === 'IN_PROGRESS';
  if (scope === 'agent' && (await desk.reports.agents(tenant)).some(isLive)) return null;
  return `nothing is stopped by it: there is no ${scope} ${key} here; there ${names.length === 0 ? 'are none' : `are ${names.join(', ')}`}`;
}

/** Channel keys as `whatsapp:100`; `*` stands for the tenant as a whole. */
const CHANNEL_KEY = /^[a-z0-9][a-z0-9:._-]{0,79}$/;

/** @throws {ProblemError} naming the part of the path. */
function switchOf(scope: string, key: string): Pick<Switch, 'scope' | 'key'> {
  switch (scope) {
    case 'tenant':
      if (key !== '*') throw invalidField('key', 'must be * for the tenant');
      return { scope, key };
    case 'agent':
      return { scope, key: parseAgentKey(key, 'key') };
    case 'channel':
      if (!CHANNEL_KEY.test(key)) throw invalidField('key', 'must be the key of a channel, such as whatsapp:100');
      return { scope, key };
    default:
      throw invalidField('scope', 'must be tenant, agent or channel');
  }
}

function shown({ scope, key, by, reason, at }: Switch): z.infer<typeof SwitchSchema> {
  return { scope, key, by, reason, at };
}

/** Conversations as the desk knows them. */
import { z } from 'zod';
import { parseConversationId, conversationSubject } from '../../domain/ids.ts';
import { SERVICE_WINDOW_MS } from '../../domain/may-send.ts';
import { RunSummary } from '../../domain/schemas/runs.ts';
import type { HttpDeps } from '../deps.ts';
import { ProblemError } from '../problems.ts';
import { pageOf, PageQuery, present, type Routes } from '../route.ts';
import { summaryOf } from '../run-views.ts';

const RUNS_SHOWN = 20;

const Owner = z.enum(['none', 'agent', 'human']);
const at = z.string().nullable();
const Listed = z.object({
  ...{ id: z.string(), channel: z.string().nullable(), owner: Owner, ownerBy: z.string().nullable() },
  ...{ ownerSince: z.string(), openedAt: z.string(), closedAt: at, lastInboundAt: at, lastOutboundAt: at },
  contact: z.object({ name: z.string().nullable() }).nullable(),
});
const One = z.object({
  ...{ id: z.string(), channel: z.string().nullable(), owner: Owner, ownerSince: z.string() },
  ...{ openedAt: z.string(), closedAt: at, lastInboundAt: at, lastOutboundAt: at, lastHumanOutboundAt: at },
  contact: z
    .object({
      ...{ name: z.string().nullable(), locale: z.string().nullable(), timeZone: z.string().nullable() },
      ...{ country: z.string().nullable(), optedOutAt: at },
      /** Since when they want no marketing messages. */
      marketingStoppedAt: at,
    })
    .nullable(),
  /** Until when free text may be sent; null: this channel has no such window, or nobody has written yet. */
  window: z.object({ open: z.boolean(), until: z.string() }).nullable(),
  /** The newest, live ones among them. */
  runs: z.array(RunSummary),
});
const Query = z.strictObject({
  owner: Owner.optional(),
  open: z.enum(['true', 'false']).optional(),
  q: z.string().trim().min(1).max(100).optional(),
  ...PageQuery,
});

export function conversationRoutes(routes: Routes, { desk, channelsOf }: Pick<HttpDeps, 'desk' | 'channelsOf'>): void {
  routes.add(
    {
      method: 'get',
      path: '/conversations',
      role: 'viewer',
      summary: 'Conversations, the newest first',
      query: Query,
      answers: { 200: pageOf(Listed) },
    },
    async ({ tenant, query: { open, q, ...rest } }) => {
      const of = { ...rest, search: q, open: open === undefined ? undefined : open === 'true' };
      return Response.json(await desk.reports.conversations({ tenant, ...present(of) }));
    },
  );
  routes.add(
    {
      method: 'get',
      path: '/conversations/:conversation',
      role: 'viewer',
      summary: 'One conversation: whose it is, its contact, its service window and its runs',
      answers: { 200: One },
    },
    async ({ tenant, param }) => {
      const id = parseConversationId(param('conversation'));
      const found = await desk.conversations.get(tenant, id);
      if (found === null) throw new ProblemError('conversation_not_found', `the desk knows no conversation ${id}`);
      const runs = await desk.runs.list({
        tenant,
        subject: conversationSubject(id),
        sort: 'trouble',
        limit: RUNS_SHOWN,
      });
      const { channel, owner, ownerSince, openedAt, closedAt, lastInboundAt, lastOutboundAt, contact } = found;
      const hasWindow = channelsOf(tenant).some(({ key, kind }) => key === channel && kind === 'whatsapp');
      const until = hasWindow && lastInboundAt !== null ? Date.parse(lastInboundAt) + SERVICE_WINDOW_MS : null;
      return Response.json({
        ...{ id, channel, owner, ownerSince, openedAt, closedAt, lastInboundAt, lastOutboundAt },
        lastHumanOutboundAt: found.lastHumanOutboundAt,
        contact: contact === null ? null : contactOf(contact),
        window: until === null ? null : { open: until > Date.now(), until: new Date(until).toISOString() },
        runs: runs.items.map(summaryOf),
      } satisfies z.infer<typeof One>);
    },
  );
}

function contactOf(contact: NonNullable<z.infer<typeof One>['contact']>) {
  const { name, locale, timeZone, country, optedOutAt, marketingStoppedAt } = contact;
  return { name, locale, timeZone, country, optedOutAt, marketingStoppedAt };
}

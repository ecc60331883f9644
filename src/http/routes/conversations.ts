/** Conversations as the desk knows them. */
import { z } from 'zod';
import type { ContactRecord, ConversationRecord, Desk } from '../../desk/desk.ts';
import { conversationSubject, parseConversationId, type TenantId } from '../../domain/ids.ts';
import { SERVICE_WINDOW_MS } from '../../domain/may-send.ts';
import { Conversation, ListedConversation, Message, Owner } from '../answers/conversations.ts';
import type { HttpDeps } from '../deps.ts';
import { ProblemError } from '../problems.ts';
import { pageOf, PageQuery, present, type Routes } from '../route.ts';
import { summaryOf } from '../run-views.ts';

const RUNS_SHOWN = 20;

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
      answers: { 200: pageOf(ListedConversation) },
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
      answers: { 200: Conversation },
    },
    async ({ tenant, param }) => {
      const record = await known(desk, tenant, param('conversation'));
      const subject = conversationSubject(record.id);
      const { items } = await desk.runs.list({ tenant, subject, sort: 'trouble', limit: RUNS_SHOWN });
      const hasWindow = channelsOf(tenant).some(({ key, kind }) => key === record.channel && kind === 'whatsapp');
      return Response.json(shown(record, { hasWindow, runs: items.map(summaryOf) }));
    },
  );
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
      const { id: conversation } = await known(desk, tenant, param('conversation'));
      return Response.json(await desk.conversations.messages({ tenant, conversation, ...present(query) }));
    },
  );
}

/** @throws {ProblemError} `conversation_not_found` */
async function known(desk: Desk, tenant: TenantId, name: string): Promise<ConversationRecord> {
  const id = parseConversationId(name);
  const record = await desk.conversations.get(tenant, id);
  if (record === null) throw new ProblemError('conversation_not_found', `the desk knows no conversation ${id}`);
  return record;
}

function shown(
  { contact, ...record }: ConversationRecord,
  { hasWindow, runs }: { readonly hasWindow: boolean; readonly runs: Conversation['runs'] },
): Conversation {
  const { id, channel, owner, ownerSince, openedAt, closedAt, lastInboundAt, lastOutboundAt } = record;
  const until = hasWindow && lastInboundAt !== null ? Date.parse(lastInboundAt) + SERVICE_WINDOW_MS : null;
  return {
    ...{ id, channel, owner, ownerSince, openedAt, closedAt, lastInboundAt, lastOutboundAt },
    lastHumanOutboundAt: record.lastHumanOutboundAt,
    contact: contact === null ? null : contactOf(contact),
    window: until === null ? null : { open: until > Date.now(), until: new Date(until).toISOString() },
    runs,
  };
}

function contactOf(contact: ContactRecord): Conversation['contact'] {
  const { name, locale, timeZone, country, optedOutAt, marketingStoppedAt } = contact;
  return { name, locale, timeZone, country, optedOutAt, marketingStoppedAt };
}

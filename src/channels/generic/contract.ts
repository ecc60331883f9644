/**
 * What a CRM's own server has to understand to be a channel: six POSTs, each a signed JSON object. Everything that is
 * asked stands in the body, the operation too, so that the signature covers it. `docs/crm-channel.openapi.json` is made
 * from this file.
 */
import { z } from 'zod';
import { TemplateMessage } from '../../domain/schemas/templates.ts';
import { Instant } from '../../domain/schemas/values.ts';

const common = {
  /** Whose conversation it is, as `attache.config.json` names the tenant. */
  tenant: z.string(),
  /** The CRM's own id of the conversation. */
  conversation: z.string(),
};
/** Names a message or note for ever: what is sent again carries the same one, and exists once. */
const reference = z.string().min(1).max(100);

const SendRequest = z.object({
  type: z.literal('message.send'),
  ...common,
  /** Whom to write to: what the last inbound event named as the contact's address. */
  address: z.string(),
  reference,
  content: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('text'), text: z.string().min(1) }),
    z.object({ kind: z.literal('template'), template: TemplateMessage }),
  ]),
});
const FindRequest = z.object({ type: z.literal('message.find'), ...common, reference });
const ListRequest = z.object({
  type: z.literal('message.list'),
  ...common,
  limit: z.int().min(1).max(100),
  cursor: z.string().optional(),
});
const CloseRequest = z.object({ type: z.literal('conversation.close'), ...common });
const HandOffRequest = z.object({
  type: z.literal('conversation.handOff'),
  ...common,
  note: z.string().min(1),
  team: z.string().optional(),
});
const NoteRequest = z.object({ type: z.literal('note.add'), ...common, reference, text: z.string().min(1) });

export const CrmMessage = z.object({
  id: z.string().min(1),
  direction: z.enum(['in', 'out']),
  author: z.enum(['customer', 'agent', 'human', 'automation']),
  text: z.string().nullable(),
  /** Notes: never seen by the customer. */
  private: z.boolean(),
  at: Instant,
  /** Ours; null on what others wrote. */
  reference: z.string().nullable(),
});
export type CrmMessage = z.infer<typeof CrmMessage>;

const Made = z.object({ id: z.string().min(1) });
const Done = z.object({});
/** Null: nothing with this reference was ever accepted, and nothing is still on its way. */
const Found = z.object({ id: z.string().min(1).nullable() });
const Transcript = z.object({ items: z.array(CrmMessage), nextCursor: z.string().nullable() });

/** What a refusal says; `code` decides, `detail` is for people. */
export const CrmProblem = z.object({
  code: z.enum([
    'bad_signature',
    'invalid',
    'conversation_not_found',
    'unreachable',
    'window_closed',
    'marketing_stopped',
    'rate_limited',
    'nothing_done',
    'internal',
  ]),
  detail: z.string(),
});

export const OPERATIONS = {
  send: {
    path: '/messages/send',
    request: SendRequest,
    answer: Made,
    summary: 'Send a message to the customer, once for each reference',
  },
  find: {
    path: '/messages/find',
    request: FindRequest,
    answer: Found,
    summary: 'The id of the message with this reference; null promises that none was accepted, nor is on its way',
  },
  list: {
    path: '/messages/list',
    request: ListRequest,
    answer: Transcript,
    summary: 'The transcript, oldest first, notes included',
  },
  close: {
    path: '/conversations/close',
    request: CloseRequest,
    answer: Done,
    summary: 'Close the conversation; closing it twice is closing it once',
  },
  handOff: {
    path: '/conversations/hand-off',
    request: HandOffRequest,
    answer: Done,
    summary: 'Give the conversation to people, with a note for them',
  },
  note: {
    path: '/notes/add',
    request: NoteRequest,
    answer: Made,
    summary: 'Leave a note for people, once for each reference',
  },
} as const;
export type Operation = keyof typeof OPERATIONS;
export type RequestOf<Op extends Operation> = z.infer<(typeof OPERATIONS)[Op]['request']>;
export type AnswerOf<Op extends Operation> = z.infer<(typeof OPERATIONS)[Op]['answer']>;

/** Which status carries which refusal. */
export const REFUSALS = {
  400: 'The body is no JSON or does not fit: `invalid`.',
  401: 'The signature does not fit, or is more than five minutes old: `bad_signature`.',
  404: 'There is no such conversation: `conversation_not_found`.',
  422: 'Never: the person cannot be reached at all (`unreachable`), free text is not allowed now (`window_closed`), or they want no marketing, which this is (`marketing_stopped`).',
  429: 'Later: `rate_limited`, with `Retry-After` in seconds.',
  503: 'Nothing was done, and it may be asked again: `nothing_done`. Without this code, nobody knows: we look it up before we ask again.',
} as const;

/** Conversations and what was said in them. */
import { z } from 'zod';
import { RunSummary } from '../../domain/schemas/runs.ts';

export const Owner = z.enum(['none', 'agent', 'human']);
const at = z.string().nullable();

export const ListedConversation = z.object({
  ...{ id: z.string(), channel: z.string().nullable(), owner: Owner, ownerBy: z.string().nullable() },
  ...{ ownerSince: z.string(), openedAt: z.string(), closedAt: at, lastInboundAt: at, lastOutboundAt: at },
  contact: z.object({ name: z.string().nullable() }).nullable(),
});
export type ListedConversation = z.infer<typeof ListedConversation>;

export const Conversation = z.object({
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
export type Conversation = z.infer<typeof Conversation>;

const file = { kind: z.string(), mimeType: z.string().nullable(), fileName: z.string().nullable() };
export const Message = z.looseObject({
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

/** Things to be done in the world, as data. Adding a kind: one member here, one file and one line in `activities/effects`. */
import { z } from 'zod';
import { Signature } from './investigations.ts';
import { TemplateMessage } from './templates.ts';
import { Instant, JsonValue } from './values.ts';

/** WhatsApp's own bound on a text body (Cloud API reference, "text object"). */
export const MESSAGE_TEXT_LIMIT = 4_096;
const NOTE_LIMIT = 4_096;

export const MessageSend = z
  .strictObject({
    kind: z.literal('message.send'),
    text: z.string().min(1).max(MESSAGE_TEXT_LIMIT).optional(),
    /** Sent instead of the text once the 24-hour window has closed; alone: always sent as a template. */
    template: TemplateMessage.optional(),
    /** Our own idea (a follow-up), not an answer: quiet hours and working hours hold it back, a customer's message cancels it. */
    proactive: z.boolean().default(false),
    /** An idea of ours that advertises: not for people who stopped marketing. So is one with a template of that category. */
    marketing: z.boolean().optional(),
    /** Dropped, not sent, after this instant. */
    notAfter: Instant.optional(),
  })
  .refine((send) => send.text !== undefined || send.template !== undefined, { error: 'needs a text or a template' });

export const ConversationClose = z.strictObject({ kind: z.literal('conversation.close') });
export const ConversationHandOff = z.strictObject({
  kind: z.literal('conversation.handOff'),
  note: z.string().min(1).max(NOTE_LIMIT),
  team: z.string().max(100).optional(),
});
export const NoteAdd = z.strictObject({ kind: z.literal('note.add'), text: z.string().min(1).max(NOTE_LIMIT) });

/** Opens an investigation, or counts as an occurrence of the live one with this signature. */
export const InvestigationOpen = z.strictObject({
  kind: z.literal('investigation.open'),
  /** Names what was seen so that seeing it again is the same: `stockout:P-12`. No personal data: it is part of a workflow id. */
  signature: Signature,
  /** What was seen, in one sentence, for people. */
  summary: z.string().min(1).max(500),
  /** What the agent's investigator begins from: fits its `trigger`. Small; ids rather than records. */
  trigger: z.record(z.string(), JsonValue).default({}),
});
export type InvestigationOpen = z.infer<typeof InvestigationOpen>;

export const Effect = z.discriminatedUnion('kind', [
  MessageSend,
  ConversationClose,
  ConversationHandOff,
  NoteAdd,
  InvestigationOpen,
]);
/** What the run carries. */
export type Effect = z.infer<typeof Effect>;
/** What an agent writes: defaults may be left out. */
export type EffectInput = z.input<typeof Effect>;
export type EffectKind = Effect['kind'];
export type MessageSend = z.infer<typeof MessageSend>;

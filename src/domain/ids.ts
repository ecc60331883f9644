/**
 * Every identifier, and the only functions that build or read one.
 *
 * Grammar (kept so that nothing ever needs percent-encoding and no phone number fits by accident as a tenant):
 * tenant, agent, slot and topic `[a-z0-9][a-z0-9-]{0,39}`, conversation `[A-Za-z0-9][A-Za-z0-9._:@+=-]{0,99}`.
 * Ids are stored in clear by Temporal, so they never carry personal data.
 */
import { InvalidIdError } from './errors.ts';

/** Not a unique symbol: a declaration file of `npm run build` could not name it. No value has this member. */
type Branded<Name extends string> = string & { readonly '~brand': Name };

export type TenantId = Branded<'TenantId'>;
export type AgentKey = Branded<'AgentKey'>;
export type Slot = Branded<'Slot'>;
export type ConversationId = Branded<'ConversationId'>;
/** What an agent is attached to: `conversation/{id}` or `business`. */
export type Subject = Branded<'Subject'>;
export type Topic = Branded<'Topic'>;
/** `topic/{name}`: what only events can be about. Runs follow topics, and are attached to none. */
export type TopicSubject = Branded<'TopicSubject'>;
export type EventSubject = Subject | TopicSubject;
export type WorkflowId = Branded<'WorkflowId'>;
/** The first execution run id of the workflow chain: one attachment is one chain. */
export type AttachmentId = Branded<'AttachmentId'>;
/** `{workflowId}:{attachment}:{tick}:{n}`: what makes an effect happen once. A message that goes out again is `{n}.1`, then `{n}.2`. */
export type EffectKey = Branded<'EffectKey'>;
/** The first execution run id of an investigation's workflow. */
export type InvestigationId = Branded<'InvestigationId'>;

/** A run's name without its attachment: at most one live run has it. */
export interface RunRef {
  readonly tenant: TenantId;
  readonly subject: Subject;
  readonly slot: Slot;
}

export const NAME_PATTERN = /^[a-z0-9][a-z0-9-]{0,39}$/;
export const CONVERSATION_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:@+=-]{0,99}$/;
export const NAME_RULE = 'lower-case letters, digits and hyphens, 1 to 40, beginning with a letter or digit';
export const CONVERSATION_RULE =
  'letters, digits and . _ : @ + = -, 1 to 100 characters, beginning with a letter or digit';
export const SUBJECT_RULE = `"business", or "conversation/" and an id of ${CONVERSATION_RULE}`;
export const EVENT_SUBJECT_RULE = `"business", "topic/" and a name of ${NAME_RULE}, or "conversation/" and an id of ${CONVERSATION_RULE}`;

/** The slot of every agent that answers customers: two of them can never hold one conversation. */
export const ANSWERING_SLOT = 'answering' as Slot;
export const BUSINESS = 'business' as Subject;

const RUN_PREFIX = 'run/';
const WEBHOOK_PREFIX = 'webhook/';
const INVESTIGATION_PREFIX = 'investigation/';
const FAN_OUT_PREFIX = 'fan-out/';
const TOPIC_PREFIX = 'topic/';
const POLL_PREFIX = 'poll/';
const CONVERSATION_PREFIX = 'conversation/';

/** @throws {InvalidIdError} naming the field. */
export function parseTenantId(text: string, field = 'tenant'): TenantId {
  return parseName(text, field) as TenantId;
}

/** @throws {InvalidIdError} naming the field. */
export function parseAgentKey(text: string, field = 'agent'): AgentKey {
  return parseName(text, field) as AgentKey;
}

/** @throws {InvalidIdError} naming the field. */
export function parseSlot(text: string, field = 'slot'): Slot {
  return parseName(text, field) as Slot;
}

/** @throws {InvalidIdError} naming the field. */
export function parseTopic(text: string, field = 'topic'): Topic {
  return parseName(text, field) as Topic;
}

/** @throws {InvalidIdError} naming the field. */
export function parseConversationId(text: string, field = 'conversation'): ConversationId {
  if (!CONVERSATION_PATTERN.test(text)) throw new InvalidIdError({ field, value: text, rule: CONVERSATION_RULE });
  return text as ConversationId;
}

/** @throws {InvalidIdError} naming the field. */
export function parseSubject(text: string, field = 'subject'): Subject {
  if (!isSubject(text)) throw new InvalidIdError({ field, value: text, rule: SUBJECT_RULE });
  return text;
}

/** What an event may be about. @throws {InvalidIdError} naming the field. */
export function parseEventSubject(text: string, field = 'subject'): EventSubject {
  if (text.startsWith(TOPIC_PREFIX) ? NAME_PATTERN.test(text.slice(TOPIC_PREFIX.length)) : isSubject(text))
    return text as EventSubject;
  throw new InvalidIdError({ field, value: text, rule: EVENT_SUBJECT_RULE });
}

export function topicSubject(topic: Topic): TopicSubject {
  return `${TOPIC_PREFIX}${topic}` as TopicSubject;
}

export function isTopic(subject: EventSubject): subject is TopicSubject {
  return subject.startsWith(TOPIC_PREFIX);
}

export function topicOf(subject: TopicSubject): Topic {
  return subject.slice(TOPIC_PREFIX.length) as Topic;
}

export function conversationSubject(id: ConversationId): Subject {
  return `${CONVERSATION_PREFIX}${id}` as Subject;
}

/** The conversation of a subject, or undefined for `business` and a topic. */
export function conversationOf(subject: EventSubject): ConversationId | undefined {
  return subject.startsWith(CONVERSATION_PREFIX)
    ? (subject.slice(CONVERSATION_PREFIX.length) as ConversationId)
    : undefined;
}

/** `acme/conversation/42/answering`: how people and the command line name a run. */
export function runName({ tenant, subject, slot }: RunRef): string {
  return `${tenant}/${subject}/${slot}`;
}

/** @throws {InvalidIdError} naming the part that is wrong. */
export function parseRunName(text: string): RunRef {
  const parts = text.split('/');
  const [tenant, slot] = [parts[0] ?? '', parts.at(-1) ?? ''];
  const missing = runNameLacks(text);
  if (parts.length < 3 || missing !== undefined)
    throw new InvalidIdError({
      field: 'run',
      value: text,
      rule: `tenant/subject/slot, as acme/conversation/42/answering${missing === undefined ? '' : `; the ${missing} is missing`}`,
    });
  return { tenant: parseTenantId(tenant), subject: parseSubject(parts.slice(1, -1).join('/')), slot: parseSlot(slot) };
}

/** A tenant may be called like a subject: only what cannot be read otherwise is missing. */
export function runNameLacks(text: string): 'tenant' | 'slot' | undefined {
  const parts = text.split('/');
  const [first = '', second = ''] = parts;
  const isSubject = (part: string) => part === BUSINESS || part === 'conversation';
  if (isSubject(first) && !isSubject(second)) return 'tenant';
  const whole = second === BUSINESS ? 2 : 3;
  return isSubject(second) && parts.length <= whole ? 'slot' : undefined;
}

export function runWorkflowId(ref: RunRef): WorkflowId {
  return `${RUN_PREFIX}${runName(ref)}` as WorkflowId;
}

/** @throws {InvalidIdError} when the id is not one of a run. */
export function parseRunWorkflowId(id: string): RunRef {
  if (!id.startsWith(RUN_PREFIX))
    throw new InvalidIdError({ field: 'workflowId', value: id, rule: 'run/tenant/subject/slot' });
  return parseRunName(id.slice(RUN_PREFIX.length));
}

export function effectKey(of: {
  workflowId: WorkflowId;
  attachment: AttachmentId;
  tick: number;
  n: number;
  /** How many times it has gone out before. */
  again?: number;
}): EffectKey {
  const { workflowId, attachment, tick, n, again = 0 } = of;
  return `${workflowId}:${attachment}:${tick}:${n}${again === 0 ? '' : `.${again}`}` as EffectKey;
}

/** Under which keys this message has gone out before. */
export function earlierSends(key: EffectKey): readonly EffectKey[] {
  const of = parseEffectKey(key);
  return Array.from({ length: of.again }, (_, again) => effectKey({ ...of, again }));
}

/** The inverse of {@link effectKey}; a conversation id may hold colons, so it is read from the right. */
export function parseEffectKey(key: EffectKey): {
  workflowId: WorkflowId;
  attachment: AttachmentId;
  tick: number;
  n: number;
  again: number;
} {
  const parts = key.split(':');
  const [attachment, tick, n] = parts.slice(-3);
  if (attachment === undefined || tick === undefined || n === undefined)
    throw new InvalidIdError({ field: 'effect', value: key, rule: 'workflowId:attachment:tick:n' });
  const [first, again = '0'] = n.split('.');
  return {
    workflowId: parts.slice(0, -3).join(':') as WorkflowId,
    attachment: attachment as AttachmentId,
    tick: Number(tick),
    n: Number(first),
    again: Number(again),
  };
}

function isSubject(text: string): text is Subject {
  if (text === BUSINESS) return true;
  return text.startsWith(CONVERSATION_PREFIX) && CONVERSATION_PATTERN.test(text.slice(CONVERSATION_PREFIX.length));
}

/** What a plain JavaScript caller left out is no name. */
function parseName(text: unknown, field: string): string {
  if (typeof text !== 'string' || !NAME_PATTERN.test(text))
    throw new InvalidIdError({ field, value: String(text), rule: NAME_RULE });
  return text;
}

/** Of the workflow that brings one delivery to its endpoint; nothing needs to read it back. */
export function webhookWorkflowId({
  tenant,
  delivery,
}: {
  readonly tenant: TenantId;
  readonly delivery: string;
}): WorkflowId {
  return `${WEBHOOK_PREFIX}${tenant}/${delivery}` as WorkflowId;
}

/**
 * At most one live investigation has it. `signature` fits the grammar of conversation ids: a longer one is told by its
 * hash (`activities/investigations/signature.ts`). Nothing needs to read it back.
 */
export function investigationWorkflowId({
  tenant,
  agent,
  signature,
}: {
  readonly tenant: TenantId;
  readonly agent: AgentKey;
  readonly signature: string;
}): WorkflowId {
  if (!CONVERSATION_PATTERN.test(signature))
    throw new InvalidIdError({ field: 'signature', value: signature, rule: CONVERSATION_RULE });
  return `${INVESTIGATION_PREFIX}${tenant}/${agent}/${signature}` as WorkflowId;
}

/** Of the workflow that works through one fan-out; nothing needs to read it back. */
export function fanOutWorkflowId({ tenant, id }: { readonly tenant: TenantId; readonly id: string }): WorkflowId {
  return `${FAN_OUT_PREFIX}${tenant}/${id}` as WorkflowId;
}

/** Of the schedule that polls a channel, and of the workflows it starts. */
export function pollScheduleId({ tenant, channel }: { readonly tenant: TenantId; readonly channel: string }): string {
  return `${POLL_PREFIX}${tenant}/${channel}`;
}

/** Undefined: a schedule of somebody else's. */
export function parsePollScheduleId(id: string): { readonly tenant: TenantId; readonly channel: string } | undefined {
  const [, tenant, channel] = /^poll\/([^/]+)\/(.+)$/.exec(id) ?? [];
  if (tenant === undefined || channel === undefined || !NAME_PATTERN.test(tenant)) return undefined;
  return { tenant: tenant as TenantId, channel };
}

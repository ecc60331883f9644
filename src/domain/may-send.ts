/**
 * The one decision before a message goes out. Pure: the same question has the same answer, so it can be asked when an
 * effect is decided, when it is performed and again when it is resumed.
 */
import { instant } from './instants.ts';
import { endOfSpan, isWithinDaySpan, localDate } from './local-time.ts';
import type { MessageSend } from './schemas/effects.ts';
import type { Move } from './schemas/next-wake.ts';
import type { TemplateMessage } from './schemas/templates.ts';
import type { Policy } from './schemas/policy.ts';
import { isWithinWorkingHours, nextDay, nextWorkingHours } from './working-calendar.ts';

/** WhatsApp's customer service window: free text for 24 hours after the customer's last message. */
export const SERVICE_WINDOW_MS = 24 * 3_600_000;
/** The span over which `policy.proactivePerDay` counts: any 24 hours, whatever the calendar. */
export const FREQUENCY_SPAN_MS = 24 * 3_600_000;
/** The span over which `policy.sendsPerMinute` counts. */
export const RATE_SPAN_MS = 60_000;
/** How far a calendar is searched: one that opens on no day in so long (hours that are all quiet ones) never does. */
export const CALENDAR_HORIZON_DAYS = 60;
/** How soon to look again for a contact to send to; an event on the conversation brings it forward. */
const LOOK_AGAIN_MS = 3_600_000;

/**
 * `no_contact` nobody to send to yet; `no_channel` the person is known, but no channel that can send; `quiet_hours`
 * of the contact; `working_hours` of the business, by the contact's clock; `holiday` where the contact lives;
 * `frequency_cap` enough ideas of our own for this person today; `rate_limited` too fast in this conversation (two
 * robots answering each other stop here).
 */
export type DeferReason =
  'no_contact' | 'no_channel' | 'quiet_hours' | 'working_hours' | 'holiday' | 'frequency_cap' | 'rate_limited';

/**
 * `opted_out` the person asked for silence; `marketing_stopped` they want no marketing, which this is; `too_late` past
 * `notAfter`, or it would be by the time it may go out; `window_closed` free text outside the service window and no
 * template to take its place; `conversation_closed` an idea of our own in a closed conversation; `proactive_off` the
 * policy allows no ideas of our own; `never_open` quiet hours, working hours and holidays together leave no time at all.
 * Each is permanent: not retried, shown to the operator, told to the next tick, and no failed wake-up.
 */
export type NeverReason =
  | 'opted_out'
  | 'marketing_stopped'
  | 'too_late'
  | 'window_closed'
  | 'conversation_closed'
  | 'proactive_off'
  | 'never_open';

export type SendDecision =
  | { readonly decision: 'send' }
  | { readonly decision: 'template'; readonly template: TemplateMessage }
  /** `until`: ISO-8601 UTC, when it may go out if nothing else is sent meanwhile (`no_contact`, `no_channel`: when to look again). */
  | { readonly decision: 'defer'; readonly until: string; readonly reason: DeferReason }
  | { readonly decision: 'never'; readonly reason: NeverReason };

export interface SendQuestion {
  /** ISO-8601 UTC. */
  readonly now: string;
  readonly send: MessageSend;
  /**
   * Null: the desk knows nobody in this conversation yet. `timeZone`: the policy's, else the contact's, else the tenant's.
   * `holidays`: dates `YYYY-MM-DD` in that zone, for {@link CALENDAR_HORIZON_DAYS} from now at least; absent: none are kept.
   */
  readonly contact: {
    readonly optedOut: boolean;
    /** Wants no marketing from us. */
    readonly marketingStopped: boolean;
    readonly timeZone: string;
    readonly holidays?: readonly string[];
  } | null;
  /** `channel` null: none is known for this conversation yet. */
  readonly conversation: {
    readonly channel: { readonly hasServiceWindow: boolean } | null;
    readonly lastInboundAt: string | null;
    readonly closed: boolean;
  };
  readonly policy: Pick<Policy, 'quietHours' | 'workingHours' | 'proactivePerDay' | 'sendsPerMinute'>;
  /** What went out in the two spans before `now`; the oldest of each, where known, says when there is room again. */
  readonly counts: {
    /** Our sends in this conversation within {@link RATE_SPAN_MS}. */
    readonly inConversation: number;
    readonly oldestInConversationAt?: string | null;
    /** Proactive sends to this person, by any agent, within {@link FREQUENCY_SPAN_MS}. */
    readonly proactiveToContact: number;
    readonly oldestProactiveAt?: string | null;
  };
}

/**
 * May this message go out, now, as what? Quiet and working hours, holidays, frequency and closed conversations
 * concern proactive messages only: whoever writes at night is awake. What would be refused by the time it may go out
 * is refused now, so that nobody watches a countdown to a message that will never be sent.
 */
export function maySend(question: SendQuestion): SendDecision {
  const never = refusal(question, Date.parse(question.now));
  if (never !== null) return { decision: 'never', reason: never };
  const missing = missingOf(question);
  if (missing !== null)
    return { decision: 'defer', until: instant(Date.parse(question.now) + LOOK_AGAIN_MS), reason: missing };
  const wait = waiting(question);
  if (wait === null) return formOf(question);
  if (wait.until === Infinity) return { decision: 'never', reason: 'never_open' };
  const refusedThen = refusal(question, wait.until);
  return refusedThen === null
    ? { decision: 'defer', until: instant(wait.until), reason: wait.reason }
    : { decision: 'never', reason: refusedThen };
}

/** The rules that {@link maySend} defers by, one after the other, each with the stretch it takes; empty where none does. */
export function movesOf(question: SendQuestion): readonly Move[] {
  return maySend(question).decision === 'defer' && missingOf(question) === null ? (waiting(question)?.moves ?? []) : [];
}

function refusal({ send, contact, conversation, policy }: SendQuestion, at: number): NeverReason | null {
  if (contact?.optedOut === true) return 'opted_out';
  if (contact?.marketingStopped === true && isMarketing(send)) return 'marketing_stopped';
  if (send.notAfter !== undefined && at > Date.parse(send.notAfter)) return 'too_late';
  if (send.proactive && conversation.closed) return 'conversation_closed';
  if (send.proactive && policy.proactivePerDay === 0) return 'proactive_off';
  const { lastInboundAt } = conversation;
  const closed = lastInboundAt !== null && !isWindowOpen(conversation, at);
  return closed && send.template === undefined ? 'window_closed' : null;
}

/** Only our own ideas advertise: whoever asks for an offer is answered. */
function isMarketing({ proactive, marketing, template }: MessageSend): boolean {
  return proactive && (marketing === true || template?.category === 'marketing');
}

/** No person, no channel, or free text to somebody whose window has never been open as far as we know. */
function missingOf({ send, contact, conversation }: SendQuestion): 'no_contact' | 'no_channel' | null {
  if (contact === null) return 'no_contact';
  if (conversation.channel === null) return 'no_channel';
  const isUnheard = conversation.channel.hasServiceWindow && conversation.lastInboundAt === null;
  return send.template === undefined && isUnheard ? 'no_contact' : null;
}

function formOf({ now, send, conversation }: SendQuestion): SendDecision {
  const { template, text } = send;
  if (template !== undefined && (text === undefined || !isWindowOpen(conversation, Date.parse(now))))
    return { decision: 'template', template };
  return { decision: 'send' };
}

function isWindowOpen({ channel, lastInboundAt }: SendQuestion['conversation'], at: number): boolean {
  if (channel?.hasServiceWindow !== true) return true;
  return lastInboundAt !== null && at < Date.parse(lastInboundAt) + SERVICE_WINDOW_MS;
}

interface Objection {
  readonly until: number;
  readonly reason: DeferReason;
}

/** The first instant that no rule objects to (Infinity: there is none), with the rule that objects now; null: none does. */
function waiting(question: SendQuestion): (Objection & { readonly moves: readonly Move[] }) | null {
  const horizon = Date.parse(question.now) + CALENDAR_HORIZON_DAYS * 86_400_000;
  let until = Date.parse(question.now);
  let reason: DeferReason | null = null;
  const moves: Move[] = [];
  // Leaving one rule's span may enter another's: a cap that frees at night, a holiday after a weekend.
  for (let objection = objectionAt(question, until); objection !== null; objection = objectionAt(question, until)) {
    reason ??= objection.reason;
    const from = instant(until);
    until = objection.until > horizon ? Infinity : objection.until;
    if (until === Infinity) break;
    moves.push({ rule: objection.reason, from, until: instant(until) });
  }
  return reason === null ? null : { until, reason, moves };
}

function objectionAt(question: SendQuestion, at: number): Objection | null {
  const { now, send, policy, counts } = question;
  const closed = calendarObjection(question, instant(at));
  if (closed !== null) return closed;
  const proactive = {
    count: counts.proactiveToContact,
    oldest: counts.oldestProactiveAt,
    cap: policy.proactivePerDay,
    span: FREQUENCY_SPAN_MS,
  };
  const frequent = send.proactive ? roomAt(proactive, now) : null;
  if (frequent !== null && at < frequent) return { until: frequent, reason: 'frequency_cap' };
  const all = {
    count: counts.inConversation,
    oldest: counts.oldestInConversationAt,
    cap: policy.sendsPerMinute,
    span: RATE_SPAN_MS,
  };
  const fast = roomAt(all, now);
  return fast !== null && at < fast ? { until: fast, reason: 'rate_limited' } : null;
}

/** By the contact's clock and calendar, for our own ideas only. The person's rest is named before the business's hours. */
function calendarObjection({ send, contact, policy }: SendQuestion, at: string): Objection | null {
  if (!send.proactive || contact === null) return null;
  const { timeZone, holidays = [] } = contact;
  const { quietHours } = policy;
  // A run that was prepared by an older version carries a policy without them.
  const workingHours = (policy.workingHours as typeof policy.workingHours | undefined) ?? null;
  if (quietHours !== null && isWithinDaySpan(at, quietHours, timeZone))
    return { until: Date.parse(endOfSpan(at, quietHours, timeZone)), reason: 'quiet_hours' };
  if (holidays.length > 0 && holidays.includes(localDate(at, timeZone)))
    return { until: Date.parse(nextDay(at, timeZone)), reason: 'holiday' };
  if (workingHours !== null && !isWithinWorkingHours(at, workingHours, timeZone))
    return { until: Date.parse(nextWorkingHours(at, workingHours, timeZone)), reason: 'working_hours' };
  return null;
}

/** When the span holds fewer than `cap`: once its oldest has left, if that is one too many, else once all have. */
function roomAt(
  { count, oldest, cap, span }: { count: number; oldest: string | null | undefined; cap: number; span: number },
  now: string,
): number | null {
  if (count < cap) return null;
  const leaves = count === cap && oldest !== undefined && oldest !== null ? Date.parse(oldest) : Date.parse(now);
  return leaves + span;
}

/** Names as they are typed, read before anything is asked: what is wrong is told by the argument's name. */
import { durationMs, DURATION_RULE } from '../domain/durations.ts';
import { InvalidIdError } from '../domain/errors.ts';
import {
  conversationOf,
  conversationSubject,
  parseConversationId,
  parseRunName,
  parseSubject,
  parseTenantId,
  runNameLacks,
  type ConversationId,
  type RunRef,
  type Subject,
  type TenantId,
} from '../domain/ids.ts';
import { usage } from './outcome.ts';

/** `acme/conversation/42/answering`, or without its tenant. @throws {CommandError} usage */
export function runArgument(text: string, tenant: string): RunRef {
  const whole = runNameLacks(text) === 'tenant' ? `${tenantOption(tenant)}/${text}` : text;
  return named('run', text, () => parseRunName(whole));
}

/** `conversation/42`, `business`, or either with the tenant before it. @throws {CommandError} usage */
export function subjectArgument(text: string, tenant: string): { tenant: TenantId; subject: Subject } {
  return named('subject', text, () => {
    const whole = text === 'business' || text.startsWith('conversation/');
    const slash = text.indexOf('/');
    if (whole || slash < 0) return { tenant: parseTenantId(tenant), subject: parseSubject(text) };
    return { tenant: parseTenantId(text.slice(0, slash)), subject: parseSubject(text.slice(slash + 1)) };
  });
}

/** `1`, `conversation/1` or `demo/conversation/1`. @throws {CommandError} usage */
export function conversationArgument(
  text: string,
  tenant: string,
): { tenant: TenantId; conversation: ConversationId; subject: Subject } {
  if (!text.includes('/')) {
    const conversation = named('conversation', text, () => parseConversationId(text));
    return { tenant: tenantOption(tenant), conversation, subject: conversationSubject(conversation) };
  }
  const target = subjectArgument(text, tenant);
  const conversation = conversationOf(target.subject);
  if (conversation === undefined) throw usage(`conversation: must be the id of a conversation, not "${text}"`);
  return { ...target, conversation };
}

export function tenantOption(text: string): TenantId {
  return named('--tenant', text, () => parseTenantId(text));
}

/** Milliseconds. @throws {CommandError} usage, naming the flag */
export function durationOption(flag: string, text: string): number {
  const length = durationMs(text);
  if (length === undefined) throw usage(`${flag} must be ${DURATION_RULE}, not "${text}"`);
  return length;
}

/** ISO-8601, with any offset; sent in UTC. @throws {CommandError} usage, naming the flag */
export function instantOption(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const at = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw usage(`${flag} must be an instant such as 2026-11-30T12:00:00Z, not "${text}"`);
  return new Date(at).toISOString();
}

/** Path of a run under its tenant. */
export function runPath({ subject, slot }: RunRef): string {
  return `/runs/${subject}/${slot}`;
}

function named<Value>(argument: string, text: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvalidIdError) {
      const part = error.field === argument.replace(/^--/, '') ? '' : `: ${error.field}`;
      throw usage(`${argument} "${text.slice(0, 120)}"${part} must be ${error.rule}`);
    }
    throw error;
  }
}

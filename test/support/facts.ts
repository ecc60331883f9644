/** Facts and runs as tests need them: everything plain but what the test is about. */
import { randomUUID } from 'node:crypto';
import type { IntakeItem, IntakeResult, RunRecord, TickRecord } from '../../src/desk/desk.ts';
import {
  type AttachmentId,
  conversationSubject,
  effectKey,
  parseAgentKey,
  parseConversationId,
  parseSlot,
  parseTenantId,
  runWorkflowId,
  type Subject,
} from '../../src/domain/ids.ts';
import { Effect, type EffectInput } from '../../src/domain/schemas/effects.ts';
import { type ChannelEvent, eventSchemaOf } from '../../src/domain/schemas/events.ts';

export const ACME = parseTenantId('acme');
export const LEAD = parseAgentKey('lead-qualification');
export const ANSWERING = parseSlot('answering');

export function aConversation() {
  const id = parseConversationId(`c${randomUUID()}`);
  return { id, subject: conversationSubject(id) };
}

/** `10:00:05` on the day all tests happen. */
export function at(clock: string): string {
  return new Date(`2026-11-30T${clock}${clock.includes('.') ? '' : '.000'}Z`).toISOString();
}

type Loose = Record<string, unknown> & { readonly type: string; readonly time?: string };

/** From the API, on a conversation it names. Parsed as the API would. */
export function fact(subject: Subject, event: Loose, channel: string | null = null): IntakeItem {
  const whole = { id: randomUUID(), source: 'api', time: at('10:00:00'), data: {}, subject, ...event };
  return { tenant: ACME, channel, event: eventSchemaOf(whole).parse(whole) };
}

/** From a channel that knows a person. */
export function channelFact(address: string, event: Loose, channel = 'whatsapp:100'): IntakeItem {
  const { ref, ...rest } = event;
  const whole = { id: randomUUID(), source: channel, time: at('10:00:00'), data: {}, ...rest };
  // The schema of channels' events is the API's without its subject.
  const parsed = eventSchemaOf(whole).parse(
    event.type === 'message.status' ? whole : { ...whole, subject: 'business' },
  );
  const unplaced = Object.fromEntries(Object.entries(parsed).filter(([key]) => key !== 'subject'));
  return {
    tenant: ACME,
    channel,
    event: { ...unplaced, address: { address, ...(ref as object | undefined) } } as ChannelEvent,
  };
}

export function text(words: string) {
  return { content: { kind: 'text', text: words } };
}

export function accepted(result: IntakeResult) {
  if (result.result !== 'accepted') throw new Error(`expected the event to be accepted, but it was a ${result.result}`);
  return result;
}

export function aRun(subject: Subject, over: Partial<RunRecord> = {}): RunRecord & { id: AttachmentId } {
  const slot = over.slot ?? ANSWERING;
  return {
    tenant: ACME,
    subject,
    slot,
    agent: LEAD,
    agentVersion: 1,
    status: 'IN_PROGRESS',
    reason: null,
    phase: 'asleep',
    actor: null,
    comment: null,
    attachedAt: at('09:00:00'),
    endedAt: null,
    nextRunAt: at('09:00:00'),
    nextRunWhy: null,
    ticks: 0,
    failures: 0,
    workflowId: runWorkflowId({ tenant: ACME, subject, slot }),
    config: {},
    state: {},
    policy: null,
    ...over,
    id: (over.id ?? randomUUID()) as AttachmentId,
  };
}

/** A claim of the ledger for an effect of this run. */
export function aClaim(run: RunRecord, input: EffectInput, n = 0) {
  const attachment = run.id as AttachmentId;
  const key = effectKey({ workflowId: runWorkflowId(run), attachment, tick: 1, n });
  return {
    key,
    tenant: run.tenant,
    subject: run.subject,
    attachment,
    effect: Effect.parse(input),
    reference: `ref-${randomUUID()}`,
    attempt: '1.1',
  };
}

/** The `tick`th wake-up of a run, which asked for noon. */
export function aTick(attachment: AttachmentId, tick: number, over: Partial<TickRecord> = {}): TickRecord {
  const outcome = {
    kind: 'reschedule',
    nextRunAt: at('12:00:00'),
    why: 'later',
    effects: ['message.send'],
  } as const;
  return {
    attachment,
    tick,
    attempt: 1,
    why: 'due',
    dueAt: at('10:00:00'),
    startedAt: at(`10:0${tick}:00`),
    endedAt: at(`10:0${tick}:02`),
    events: [],
    outcome,
    ...over,
  };
}

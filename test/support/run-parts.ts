/** What tests of a run are made of: agents, events, outcomes and the run itself, without Temporal. */
import type { EventRef } from '../../src/domain/event-refs.ts';
import {
  runWorkflowId,
  type AttachmentId,
  type RunRef,
  type Slot,
  type Subject,
  type TenantId,
} from '../../src/domain/ids.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Finish, Reschedule } from '../../src/domain/outcomes.ts';
import type { Effect } from '../../src/domain/schemas/effects.ts';
import { resolvePolicy, type PolicyInput } from '../../src/domain/schemas/policy.ts';
import type { TickResult } from '../../src/workflows/activity-types.ts';
import { newRunData, type PreparedAgent, type RunEffect } from '../../src/workflows/run-data.ts';
import { RunState } from '../../src/workflows/run-state.ts';

export const T0 = Date.parse('2026-03-01T12:00:00.000Z');
export const RUN: RunRef = {
  tenant: 'acme' as TenantId,
  subject: 'conversation/42' as Subject,
  slot: 'answering' as Slot,
};
export const ATTACHMENT = '5e4f0a52-0000-4000-8000-000000000001' as AttachmentId;

export function iso(at: number): string {
  return new Date(at).toISOString();
}

export function anAgent(policy: PolicyInput = {}, wakeOn: readonly string[] = ['message.inbound']): PreparedAgent {
  return { version: 1, model: false, wakeOn, policy: resolvePolicy(policy), config: {} };
}

export function inbound(n: number, more: Partial<EventRef> = {}): EventRef {
  return { id: `e${n}`, type: 'message.inbound', time: iso(T0), seq: n, ...more };
}

export function say(text = 'hello', more: { proactive?: boolean } = {}): Effect {
  return { kind: 'message.send', text, proactive: false, ...more };
}
export const NOTE: Effect = { kind: 'note.add', text: 'a note' };
export const HAND_OFF: Effect = { kind: 'conversation.handOff', note: 'a lead' };
export const CLOSE: Effect = { kind: 'conversation.close' };

export function reschedule(nextRunAt: number | null, more: Partial<Reschedule> = {}): Reschedule {
  return {
    kind: 'reschedule',
    nextRunAt: nextRunAt === null ? null : iso(nextRunAt),
    state: {},
    effects: [],
    cancel: [],
    ...more,
  };
}
export function finish(effects: readonly Effect[] = [], state: JsonObject = {}): Finish {
  return { kind: 'finish', status: 'COMPLETED', reason: 'goal_reached', state, effects };
}
export function outcome(of: Reschedule | Finish): TickResult {
  return { result: 'outcome', outcome: of };
}

export function aRun(): RunState {
  return new RunState(
    newRunData({ attachment: ATTACHMENT, attachedAt: iso(T0), nextRunAt: iso(T0) }),
    runWorkflowId(RUN),
  );
}

/** Prepared, and asleep until `due`. */
export function anAsleepRun(of: { policy?: PolicyInput; wakeOn?: readonly string[]; due?: number } = {}): RunState {
  const run = aRun();
  run.beginPrepare();
  run.prepared(
    {
      result: 'ready',
      agent: anAgent(of.policy, of.wakeOn),
      state: {},
      nextRunAt: iso(of.due ?? T0 + 3_600_000),
      nextRunWhy: 'first run',
      events: [],
    },
    T0,
  );
  return run;
}

/** One wake-up from its beginning to its outcome; answers the numbers of the events it was told. */
export function wakeUp(run: RunState, now: number, result: TickResult): string[] {
  const told = run.beginTick(now);
  if (told === null) return [];
  run.ticked(result, told, now);
  return told.events.map(({ id }) => id);
}

/** The next effect is begun, as the loop would. */
export function beginNext(run: RunState, now: number): RunEffect {
  const step = run.nextStep(now);
  if (step.do !== 'perform') throw new Error(`expected an effect to perform, not ${step.do}`);
  run.beginEffect(step.effect);
  return step.effect;
}

/** A roll-over: what JSON gives back, in a new run. */
export function rolledOver(run: RunState): RunState {
  return new RunState(JSON.parse(JSON.stringify(run.data)) as RunState['data'], run.workflowId);
}

export function takeOver(run: RunState, now: number): void {
  run.humanTookOver({ cause: 'taken_over', at: iso(now), actor: 'ana' }, now);
}

export function endOf(run: RunState): string | undefined {
  return run.data.end?.reason;
}

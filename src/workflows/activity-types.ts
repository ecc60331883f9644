/** What a run asks of the world: the activities' inputs and answers, as types only. One object in, one object out. */
import type { EventRef } from '../domain/event-refs.ts';
import type { AgentKey, AttachmentId, EffectKey, Slot, Subject, TenantId, WorkflowId } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Outcome } from '../domain/outcomes.ts';
import type { Effect } from '../domain/schemas/effects.ts';
import type { Move } from '../domain/schemas/next-wake.ts';
import type { Policy } from '../domain/schemas/policy.ts';
import type { PendingEffect, Run } from '../domain/schemas/runs.ts';
import type { EndReason, TerminalStatus } from '../domain/statuses.ts';
import type { AttachInput, HandedBack } from './messages.ts';
import type { AskedAct, PreparedAgent, TakenBack } from './run-data.ts';

/** Which run asks. */
export interface RunIdentity {
  readonly workflowId: WorkflowId;
  readonly attachment: AttachmentId;
  readonly attachedAt: string;
  readonly tenant: TenantId;
  readonly subject: Subject;
  readonly slot: Slot;
  readonly agent: AgentKey;
}

export interface PrepareInput {
  readonly run: RunIdentity;
  readonly attach: AttachInput;
}
export type Prepared =
  | {
      readonly result: 'ready';
      readonly agent: PreparedAgent;
      readonly state: JsonObject;
      readonly nextRunAt: string;
      readonly nextRunWhy: string;
      /** Unanswered inbound messages that were in the desk before. */
      readonly events: readonly EventRef[];
    }
  | {
      readonly result: 'refused';
      readonly status: TerminalStatus;
      readonly reason: EndReason;
      readonly comment: string;
    };

export interface TickInput {
  readonly run: RunIdentity;
  readonly agent: PreparedAgent;
  readonly state: JsonObject;
  readonly tick: number;
  readonly why: 'due' | 'event' | 'operator';
  readonly dueAt: string;
  readonly events: readonly EventRef[];
  readonly failures: number;
  /** Since when a provider has been out, over wake-ups. */
  readonly outageSince?: string;
  /** Until a tick has been told. */
  readonly handedBack?: HandedBack;
  readonly pendingEffects: readonly PendingEffect[];
  readonly failedEffects: readonly {
    readonly key: EffectKey;
    readonly kind: Effect['kind'];
    readonly reason: string;
  }[];
  readonly cancelled: readonly TakenBack[];
}
export type TickResult =
  | {
      readonly result: 'outcome';
      readonly outcome: Outcome;
      /** Present when a newer version of the agent ticked: the run goes on as that. */
      readonly agent?: PreparedAgent;
    }
  | { readonly result: 'switched_off'; readonly by: string; readonly comment: string | null };

/** Types of the failures a tick reports; see `activities/failures.ts`, which alone decides between them. */
export const TICK_FAULT = 'TickFault';
export const CRASH_LOOP = 'CrashLoop';
export const PROVIDER_OUTAGE = 'ProviderOutage';
/** The first detail of a {@link TICK_FAULT} or {@link PROVIDER_OUTAGE}. */
export interface FailureDetail {
  readonly fault: string;
  readonly message: string;
}

export interface PerformInput {
  readonly run: RunIdentity;
  readonly policy: Policy;
  readonly key: EffectKey;
  readonly effect: Effect;
  readonly since: string;
  /** Counts from 0: earlier performs that did not finish it. */
  readonly performs: number;
}
export type Performed =
  | { readonly result: 'done' }
  /** Not now: try again then; null: when the run is resumed. */
  | {
      readonly result: 'parked';
      readonly reason: string;
      readonly dueAt: string | null;
      /** Which rules moved it there, where it was more than one. */
      readonly moves?: readonly Move[];
    }
  /** Never: the rules or the permit said no. */
  | { readonly result: 'refused'; readonly reason: string }
  /** Never: it failed for good, or its fate cannot be known. */
  | { readonly result: 'failed'; readonly reason: string }
  /** The person cannot be reached at all: the run ends. */
  | { readonly result: 'unreachable'; readonly reason: string };

export interface CatchUpInput {
  readonly run: RunIdentity;
  readonly afterSeq: number;
  readonly limit: number;
}
export interface CaughtUp {
  readonly events: readonly EventRef[];
  /** False: there are more. */
  readonly complete: boolean;
  /** The `seq` up to which the desk was read, whether those events concern runs or not. */
  readonly readTo: number;
}

export interface TakeBackInput {
  readonly run: RunIdentity;
  readonly cancelled: readonly TakenBack[];
  readonly asked?: readonly AskedAct[];
}

export interface RecordEndInput {
  readonly run: RunIdentity;
  readonly view: Run;
  readonly unhandled: readonly EventRef[];
  readonly cancelled: readonly TakenBack[];
  readonly asked?: readonly AskedAct[];
  /** A human who came in after the end had been decided: holds the conversation, whatever that end is. */
  readonly heldBy?: { readonly actor: string; readonly at: string };
}

export interface RunActivities {
  prepare(input: PrepareInput): Promise<Prepared>;
  tick(input: TickInput): Promise<TickResult>;
  perform(input: PerformInput): Promise<Performed>;
  catchUp(input: CatchUpInput): Promise<CaughtUp>;
  takeBack(input: TakeBackInput): Promise<void>;
  recordEnd(input: RecordEndInput): Promise<void>;
}

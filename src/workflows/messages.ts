/**
 * Everything one can say to a run, declared once. Signals are facts that happened and cannot be refused;
 * updates are requests that can; queries are nouns.
 */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { EventRef } from '../domain/event-refs.ts';
import type { AttachmentId, EffectKey } from '../domain/ids.ts';
import type { Effect } from '../domain/schemas/effects.ts';
import type { Run } from '../domain/schemas/runs.ts';

/** A human took the conversation. Meant for an earlier attachment, or older than this one: recorded as stale. */
export interface HumanTookOver {
  readonly cause: 'human_replied' | 'taken_over' | 'closed_by_human';
  /** When it happened, provider time, ISO-8601 UTC. */
  readonly at: string;
  readonly actor: string;
  readonly comment?: string;
  /** The one attachment that is meant; absent: whichever is live. */
  readonly attachment?: AttachmentId;
  /** Asked for this very run by name: ends it whatever `onHumanMessage` says. Others concern every run on the subject. */
  readonly explicit?: true;
}

export interface Detached {
  readonly at: string;
  readonly actor: string;
  readonly comment?: string;
  readonly attachment?: AttachmentId;
  /** Default `detached`. */
  readonly reason?: 'detached' | 'switched_off';
}

export interface Request {
  readonly actor: string;
  readonly comment?: string;
  readonly attachment?: AttachmentId;
  /** Whoever asks writes it down nowhere: the run tells the desk. */
  readonly untold?: true;
}
export interface Pause extends Request {
  /** ISO-8601 UTC: resumes by itself then. */
  readonly until?: string;
}
export interface Resume extends Request {
  /** Bulk resumes spread their overdue runs over this many milliseconds, seeded. */
  readonly jitterMs?: number;
}
export interface Snooze extends Request {
  readonly until: string;
}
export type WakeNow = Request;

export interface SendPermitRequest {
  readonly key: EffectKey;
  readonly attachment: AttachmentId;
}
export interface SendPermit {
  readonly permitted: boolean;
  readonly reason?: string;
}

export const eventArrived = defineSignal<[EventRef]>('eventArrived');
export const humanTookOver = defineSignal<[HumanTookOver]>('humanTookOver');
/** A message of the run's that the provider had taken and could not bring. */
export interface Undelivered {
  /** The desk's key of the status that said so, and its place. */
  readonly id: string;
  readonly seq: number;
  readonly attachment: AttachmentId;
  readonly key: EffectKey;
  readonly reason: string;
  /** The person cannot be reached at all. */
  readonly unreachable: boolean;
  /** Failed for a trouble that passes: what was sent, and when (ISO-8601 UTC). It may go out again. */
  readonly again?: { readonly effect: Effect; readonly sentAt: string };
}
export const undelivered = defineSignal<[Undelivered]>('undelivered');
export const detached = defineSignal<[Detached]>('detached');

export const pause = defineUpdate<Run, [Pause]>('pause');
export const resume = defineUpdate<Run, [Resume]>('resume');
export const snooze = defineUpdate<Run, [Snooze]>('snooze');
export const wakeNow = defineUpdate<Run, [WakeNow]>('wakeNow');

export const view = defineQuery<Run>('view');
export const sendPermit = defineQuery<SendPermit, [SendPermitRequest]>('sendPermit');

/** The workflow's type name and its input's first form: what `start` needs, without the workflow's code. */
export const AGENT_RUN = 'agentRun';

/** A human held the conversation before this run, and gave it back. */
export interface HandedBack {
  /** When the run before ended, ISO-8601 UTC. */
  readonly from: string;
  readonly to: string;
  readonly note: string | null;
  /** Attachment of the run before. */
  readonly previous: string;
}

export interface AttachInput {
  readonly agent: string;
  readonly config: unknown;
  /** What it follows besides its agent's own topics. */
  readonly topics?: readonly string[];
  /** The caller's clock as it attached, ISO-8601 UTC; the run takes the earlier of it and Temporal's. */
  readonly attachedAt?: string;
  readonly firstRunAt?: string;
  /** `attach`: somebody asked for it by name, which hands the conversation to the agent. `rule`: auto-attach. */
  readonly origin: 'attach' | 'rule';
  readonly actor: string;
  readonly comment?: string;
  readonly handedBack?: HandedBack;
}

/** Types of the failures with which an update is refused. */
export const OTHER_ATTACHMENT = 'OtherAttachment';
export const RUN_ENDED = 'RunEnded';
export const INVALID_INSTANT = 'InvalidInstant';

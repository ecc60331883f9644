/** What a run remembers: all of it travels through roll-over, so all of it is plain, bounded and versioned. */
import type { EventRef } from '../domain/event-refs.ts';
import type { AttachmentId, EffectKey } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import { ATTACHED } from '../domain/next-run-why.ts';
import type { Effect } from '../domain/schemas/effects.ts';
import type { Move } from '../domain/schemas/next-wake.ts';
import type { Policy } from '../domain/schemas/policy.ts';
import type { EndReason, TerminalStatus } from '../domain/statuses.ts';
import type { HandedBack, HumanTookOver } from './messages.ts';

/** Event references a run holds (twice that with stragglers); what comes after is read from the desk, in its order. */
export const QUEUE_LIMIT = 1_000;
/** Event ids a run remembers: enough to outlive any redelivery burst, small enough (36 bytes each) to carry. */
export const SEEN_LIMIT = 1_000;
/** While the desk is read on: ids known before and since, so that a page read twice is consumed once. */
export const KNOWN_LIMIT = SEEN_LIMIT + QUEUE_LIMIT;
/** Unfinished effects a run carries at most: 16 KB a tick as they may be, they must fit a roll-over (2 MB). */
export const EFFECTS_LIMIT = 100;
/** What was asked while the desk was away; beyond that only the newest are told. */
export const ASKED_LIMIT = 100;
/** Messages that are dealt with, as a run remembers them. */
export const DEALT_WITH_LIMIT = 100;
/** A draft is thought again twice at most: a customer who never stops writing still gets an answer. */
export const RETHINK_LIMIT = 2;
/**
 * A hand-off waits for the message before it for this long, from when both were decided: what the first retries and a full
 * bucket take. The customer is to hear that people take over, but not instead of it.
 */
export const HOLD_BACK_MS = 2 * 60_000;
/** How long the effects of a terminal outcome may keep a run in `ending`. */
export const ENDING_LIMIT_MS = 24 * 3_600_000;

/** What `prepare` found out about the agent, renewed when a newer version of it ticks. */
export interface PreparedAgent {
  readonly version: number;
  readonly model: boolean;
  readonly wakeOn: readonly string[];
  readonly policy: Policy;
  readonly config: JsonObject;
}

export interface RunEffect {
  readonly key: EffectKey;
  readonly tick: number;
  readonly effect: Effect;
  /** When it was decided, ISO-8601 UTC. */
  readonly since: string;
  state: 'waiting' | 'performing' | 'parked';
  /** Parked: when to try again, ISO-8601 UTC; null: when the run is resumed. */
  dueAt: string | null;
  reason: string | null;
  /** Parked by more than one rule: each with its stretch. */
  moves?: readonly Move[];
  /** Times it was performed without being finished. */
  attempts: number;
  /**
   * A hand-off or a close behind messages of its own outcome: waits for none of them that is held back, and once it is done
   * those before it are given up. `in_turn`: something stands behind it; another that goes ahead waits for it. True alone: the
   * last, or decided before there were turns, when it was overtaken by others and gave up the messages behind it as well.
   */
  goesAhead?: true | 'in_turn';
}

export interface TakenBack {
  readonly key: EffectKey;
  readonly reason: string;
  /** Not unwanted but not done in time: people are told. */
  readonly failed?: true;
  /** Of what has failed: it may never have been tried, and then the desk does not know it. Absent in older histories. */
  readonly effect?: Effect;
}

/** What somebody asked of a run over Temporal alone. */
export interface AskedAct {
  readonly act: 'pause' | 'resume' | 'snooze' | 'wake';
  readonly actor: string;
  readonly comment: string | null;
  /** When the run took it, ISO-8601 UTC. */
  readonly at: string;
}

export interface RunEnd {
  readonly status: TerminalStatus;
  readonly reason: EndReason;
  readonly actor: string;
  readonly comment: string | null;
  readonly at: string;
}

export interface RunData {
  readonly v: 1;
  readonly attachment: AttachmentId;
  readonly attachedAt: string;
  agent: PreparedAgent | null;
  state: JsonObject;
  nextRunAt: string;
  nextRunWhy: string;
  /** Ticks begun; the number of the latest one. */
  ticks: number;
  /** Failed wake-ups in a row. */
  failures: number;
  /** Messages that went out. */
  messagesSent: number;
  /** Drafts overtaken in a row. */
  rethinks: number;
  /** Since when a provider has been out, over postponed wake-ups. */
  outageSince: string | null;
  queue: EventRef[];
  /** The highest `seq` seen. */
  newest: number;
  /**
   * Events after the `seq` `after` are in the desk only, but for those `known`. `late`: the same of those that arrived
   * while the desk was being read.
   */
  overflow: { after: number; late: number | null; readonly known: string[] } | null;
  seen: string[];
  /** The burst that will wake it: first and latest arrival, ms. */
  burst: { readonly firstAt: number; lastAt: number } | null;
  wakeRequestedBy: string | null;
  effects: RunEffect[];
  /** Failed for good since the last tick: told to the next one. */
  failedEffects: { readonly key: EffectKey; readonly kind: Effect['kind']; readonly reason: string }[];
  /** Taken back, or given up (`failed`), and not yet told to the desk. */
  cancelled: TakenBack[];
  /** Not yet told to the desk, the newest {@link ASKED_LIMIT}. */
  asked?: AskedAct[];
  paused: { readonly actor: string; readonly comment: string | null; readonly until: string | null } | null;
  /** A human wrote before it was known what this agent makes of that. */
  earlyTakeover: HumanTookOver | null;
  /** After a bulk resume: nothing before this instant, ms. */
  notBefore: number | null;
  /** What the first tick is told of; null once it was. Absent where nothing was handed back. */
  handedBack?: HandedBack | null;
  /** Decided and final but for the effects that are still to be finished. */
  end: RunEnd | null;
  /** Ticks begun when the customer last wrote: what was decided until then is older than their words. */
  heardAtTick?: number;
  /**
   * Messages that no later report sends again: given another send, taken back, or told as failed, as one of unknown fate may be
   * that was reported as lost since. `{tick}:{n}.{again}`, the newest last.
   */
  dealtWith?: string[];
  /** Who came in after the end was decided, and when: the conversation is theirs, the end is not. */
  heldBy?: { readonly actor: string; readonly at: string };
}

export function newRunData(run: {
  readonly attachment: AttachmentId;
  readonly attachedAt: string;
  readonly nextRunAt: string;
  readonly handedBack?: HandedBack | undefined;
}): RunData {
  return {
    v: 1,
    attachment: run.attachment,
    attachedAt: run.attachedAt,
    agent: null,
    state: {},
    nextRunAt: run.nextRunAt,
    nextRunWhy: ATTACHED,
    ticks: 0,
    failures: 0,
    messagesSent: 0,
    rethinks: 0,
    outageSince: null,
    queue: [],
    newest: 0,
    overflow: null,
    seen: [],
    burst: null,
    wakeRequestedBy: null,
    effects: [],
    failedEffects: [],
    cancelled: [],
    paused: null,
    earlyTakeover: null,
    notBefore: null,
    ...(run.handedBack === undefined ? {} : { handedBack: run.handedBack }),
    end: null,
  };
}

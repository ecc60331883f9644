/**
 * How an agent investigates what it has seen. Steps read, in parallel; `propose` is pure and says what to do about it, or
 * that nothing is to be done; `verify` looks whether it helped. Nothing here acts: actions are data.
 */
import type { z } from 'zod';
import type { JsonObject } from '../domain/json.ts';
import type { ActionResult, Evidence, Proposal, ProposalInput } from '../domain/schemas/investigations.ts';
import type { ErpReads } from '../erp/erp.ts';

/** What a step gets: everything to read, nothing to act with. */
export interface Investigating<Config, Trigger> {
  readonly config: Config;
  readonly trigger: Trigger;
  readonly tenant: { readonly id: string; readonly name: string; readonly timeZone: string };
  readonly erp: ErpReads;
  /** The clock as this step began, ISO-8601 UTC. */
  readonly now: string;
  /** Aborted when the step is out of time: pass it on to every call. */
  readonly signal: AbortSignal;
}

export interface Verifying<Config, Trigger> extends Investigating<Config, Trigger> {
  readonly proposal: Proposal;
  readonly results: readonly ActionResult[];
}

/** `facts` are for `propose`, at most 16 KB as JSON; `evidence` is for the person who decides. */
export interface Found<Facts> {
  readonly facts: Facts;
  readonly evidence: readonly Evidence[];
}

export interface Proposing<Config, Trigger, Facts> {
  readonly config: Config;
  readonly trigger: Trigger;
  readonly facts: Facts;
  readonly now: string;
}

/** Nothing is to be done: the investigation ends `dismissed`. */
export interface Dismissal {
  readonly dismiss: string;
}

export interface Verification {
  readonly ok: boolean;
  /** What was found, for people. */
  readonly note: string;
}

export interface InvestigatorDefinition<
  Config extends z.ZodType,
  Trigger extends z.ZodType,
  Facts extends Record<string, unknown>,
> {
  /** The agent's own. */
  readonly config: Config;
  /** What `openInvestigation` carries. */
  readonly trigger: Trigger;
  /** Read-only; run in parallel, each an activity of its own. Names `[a-z0-9-]`. Thrown errors are retried by their class. */
  readonly steps: {
    readonly [Name in keyof Facts]: (
      of: Investigating<z.output<Config>, z.output<Trigger>>,
    ) => Promise<Found<Facts[Name]>>;
  };
  /**
   * Pure: the same facts, the same answer. Called again, on facts read anew, before anything is executed, and before
   * a later action whose records have moved: when its `preconditions` differ then, the proposal is stale. So
   * preconditions hold what the decision rests on, coarse enough not to change by themselves (an open order, a
   * quantity to be ordered; not a stock level that falls all day).
   */
  propose(of: Proposing<z.output<Config>, z.output<Trigger>, Facts>): ProposalInput | Dismissal;
  /**
   * Pure: does what was agreed to hold, though these preconditions are others now? For a number that moves by itself, of which one
   * direction or a small step does no harm. Absent: it does not.
   */
  stillHolds?(changed: Proposal['changed']): boolean;
  /** After the last action: did it help? Absent: done is done. */
  verify?(of: Verifying<z.output<Config>, z.output<Trigger>>): Promise<Verification>;
}

/** An investigator as the rest of the system holds it, its types closed over. */
export interface Investigator {
  readonly config: z.ZodType;
  readonly trigger: z.ZodType;
  readonly steps: Readonly<Record<string, (of: Investigating<JsonObject, JsonObject>) => Promise<Found<unknown>>>>;
  propose(of: Proposing<JsonObject, JsonObject, JsonObject>): ProposalInput | Dismissal;
  stillHolds(changed: Proposal['changed']): boolean;
  verify(of: Verifying<JsonObject, JsonObject>): Promise<Verification>;
}

const DONE_IS_DONE: Verification = { ok: true, note: 'every action was done' };

/** Declares how an agent investigates; given to `defineAgent` as `investigate`. */
export function defineInvestigator<
  Config extends z.ZodType,
  Trigger extends z.ZodType,
  Facts extends Record<string, unknown>,
>(definition: InvestigatorDefinition<Config, Trigger, Facts>): Investigator {
  const { config, trigger, steps } = definition;
  return {
    config,
    trigger,
    steps: steps as unknown as Investigator['steps'],
    propose: (of) => definition.propose(of as unknown as Proposing<z.output<Config>, z.output<Trigger>, Facts>),
    stillHolds: (changed) => definition.stillHolds?.(changed) ?? false,
    verify: async (of) =>
      (await definition.verify?.(of as unknown as Verifying<z.output<Config>, z.output<Trigger>>)) ?? DONE_IS_DONE,
  };
}

/** What `propose` answers when there is nothing to do. `reason` is for people, cut to 500 characters. */
export function dismiss(reason: string): Dismissal {
  return { dismiss: reason.slice(0, 500) };
}

/** What an investigation asks of the world: its activities' inputs and answers, as types only. */
import type { AgentKey, EffectKey, InvestigationId, TenantId, WorkflowId } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Money } from '../domain/schemas/erp-records.ts';
import type { RecordVersion } from '../domain/schemas/erp-writes.ts';
import type {
  Action,
  ActionResult,
  Evidence,
  Investigation,
  InvestigationPolicy,
  Proposal,
} from '../domain/schemas/investigations.ts';

/** Which investigation asks. */
export interface InvestigationIdentity {
  readonly id: InvestigationId;
  readonly workflowId: WorkflowId;
  readonly tenant: TenantId;
  readonly agent: AgentKey;
}

export interface BeginInput {
  readonly of: InvestigationIdentity;
  readonly trigger: JsonObject;
  /** The run that opened it: its configuration is the investigator's. */
  readonly run: string;
  readonly view: Investigation;
}
export type Begun =
  | { readonly result: 'begun'; readonly config: JsonObject; readonly steps: readonly string[] }
  | { readonly result: 'refused'; readonly reason: string };

export interface Material {
  readonly of: InvestigationIdentity;
  readonly config: JsonObject;
  readonly trigger: JsonObject;
}
export interface StepInput extends Material {
  readonly step: string;
  readonly timeoutMs: number;
}
export interface StepFound {
  readonly facts: JsonObject;
  readonly evidence: readonly Evidence[];
}

export interface ProposeInput extends Material {
  readonly found: Readonly<Record<string, StepFound>>;
  readonly policy: InvestigationPolicy;
  /** The workflow's clock, ISO-8601 UTC. */
  readonly now: string;
  /** Looked at again before its execution; null: the first. */
  readonly before: Proposal | null;
}
export type Proposed =
  | { readonly result: 'proposed'; readonly proposal: Proposal }
  /** What `before` rests on has not changed. */
  | { readonly result: 'holds' }
  | { readonly result: 'dismissed'; readonly reason: string };

export interface VersionsInput {
  readonly of: InvestigationIdentity;
  readonly restsOn: Action['restsOn'];
}

/** The offer that a `suppliers.ask` took. */
export interface AcceptedOffer {
  readonly supplierId: string;
  readonly unitCost: Money;
  readonly deliverOn: string;
}

export interface ActInput {
  readonly of: InvestigationIdentity;
  readonly action: Action;
  /** Of the records that it and later actions rest on, as they were at the latest look but for our own changes. */
  readonly precondition: readonly RecordVersion[];
  readonly offer?: AcceptedOffer;
  /** `switched_off` is taken for an answer; absent from older workflow code, for which the attempt fails and is tried again. */
  readonly awaitsSwitch?: true;
}
/** Somebody has switched the agent off: nothing was done now. */
export interface SwitchedOff {
  readonly result: 'switched_off';
}
export type Acted =
  | { readonly result: 'done'; readonly reference: string | null; readonly detail: string | null }
  /** Nothing was done: something it rests on has changed since it was read. */
  | { readonly result: 'stale' }
  /** Nothing was done, and trying again would not help. */
  | { readonly result: 'failed'; readonly detail: string };

export interface UndoInput {
  readonly of: InvestigationIdentity;
  readonly action: Action;
  readonly reference: string | null;
  /** As of an act. */
  readonly awaitsSwitch?: true;
}
export type Undone =
  { readonly result: 'undone' | 'nothing_done' } | { readonly result: 'failed'; readonly detail: string };

export interface ReadOffersInput {
  readonly of: InvestigationIdentity;
  readonly action: Extract<Action, { kind: 'suppliers.ask' }>;
  /** Only offers that changed after this instant, ISO-8601 UTC. */
  readonly since: string;
}

export interface VerifyInput extends Material {
  readonly proposal: Proposal;
  readonly results: readonly ActionResult[];
  readonly timeoutMs: number;
}

/** What is told to outgoing webhooks, in the transaction that records it. */
export interface Telling {
  readonly type:
    | 'investigation.proposed'
    | 'investigation.reminder'
    | 'investigation.escalated'
    | 'investigation.decided'
    | 'investigation.asked'
    | 'investigation.executed'
    | 'investigation.failed'
    | 'investigation.dismissed'
    | 'investigation.rejected'
    | 'investigation.expired';
  /** Told once for each. */
  readonly key: string;
  readonly at: string;
}
export interface RecordInput {
  readonly of: InvestigationIdentity;
  readonly view: Investigation;
  /** Counts up: an older record changes nothing. */
  readonly version: number;
  readonly tell: readonly Telling[];
  /** Effect keys that were counted since the last record; absent from older workflow code. */
  readonly counted?: readonly EffectKey[];
}

/** Type of the failure with which a step or `propose` gives up for good; its message is for people. */
export const INVESTIGATOR_FAULT = 'InvestigatorFault';

export interface InvestigationActivities {
  beginInvestigation(input: BeginInput): Promise<Begun>;
  investigateStep(input: StepInput): Promise<StepFound>;
  propose(input: ProposeInput): Promise<Proposed>;
  readVersions(input: VersionsInput): Promise<readonly RecordVersion[]>;
  performAction(input: ActInput): Promise<Acted | SwitchedOff>;
  undoAction(input: UndoInput): Promise<Undone | SwitchedOff>;
  /** Fulfilled once the agent is switched on; tried again for as long as it is off. */
  awaitSwitchedOn(input: { readonly of: InvestigationIdentity }): Promise<void>;
  readOffers(input: ReadOffersInput): Promise<readonly AcceptedOffer[]>;
  verify(input: VerifyInput): Promise<{ readonly ok: boolean; readonly note: string }>;
  /** At its end it also reports to the run that opened it. */
  recordInvestigation(input: RecordInput): Promise<void>;
}

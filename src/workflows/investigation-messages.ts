/** Everything one can say to an investigation, declared once. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { EffectKey } from '../domain/ids.ts';
import type { Role } from '../domain/roles.ts';
import type { Money } from '../domain/schemas/erp-records.ts';
import type { Decision, Investigation } from '../domain/schemas/investigations.ts';

/** The workflow's type name: what `start` needs, without the workflow's code. */
export const INVESTIGATION = 'investigation';

/** Its trigger was seen. The first one starts it; the same key is counted once. */
export interface Occurred {
  readonly effectKey: EffectKey;
}

export interface Decide {
  readonly decision: 'approve' | 'reject';
  /** `key name/by`. */
  readonly actor: string;
  /** Name of the key, or whom a signed link was made for: two people are two of these. */
  readonly person: string;
  readonly role: Role;
  readonly reason: string | null;
  /** Absent: the current proposal. */
  readonly proposalHash?: string;
}

/** To a `suppliers.ask` or `person.confirm` that waits. */
export interface Answer {
  readonly step: string;
  readonly actor: string;
  readonly answer:
    | { readonly kind: 'offer'; readonly supplierId: string; readonly unitCost: Money; readonly deliverOn: string }
    | { readonly kind: 'confirmation'; readonly yes: boolean; readonly note: string | null };
}

export const occurred = defineSignal<[Occurred]>('occurred');
export const decide = defineUpdate<Investigation, [Decide]>('decide');
export const answer = defineUpdate<Investigation, [Answer]>('answer');
export const investigationView = defineQuery<Investigation>('view');

/** Why a decision is not taken. */
export type Refusal =
  | { readonly refused: 'nothing_proposed'; readonly message: string }
  | { readonly refused: 'proposal_changed'; readonly message: string; readonly hash: string }
  | { readonly refused: 'already_decided'; readonly message: string; readonly decision: Decision | null }
  | { readonly refused: 'forbidden'; readonly message: string };

/** Type of the failure with which `decide` is refused; its first detail is the `Refusal`. */
export const NOT_DECIDED = 'NotDecided';
/** With which `answer` is. */
export const NOTHING_ASKED = 'NothingAsked';

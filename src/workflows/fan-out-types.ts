/** One fan-out: what its workflow is given, and what it asks of the world. Plain values. */
import { defineQuery } from '@temporalio/workflow';
import type { FanOutCounts, FanOutState } from '../domain/fan-out.ts';
import type { TenantId } from '../domain/ids.ts';

/** The workflow's type name: what `start` needs, without the workflow's code. */
export const FAN_OUT = 'fanOut';

export interface FanOutProgress extends FanOutCounts {
  readonly state: FanOutState;
}

export interface FanOutInput {
  readonly v: 1;
  readonly tenant: TenantId;
  /** Its id in the desk, where all that it has done so far is written. */
  readonly id: string;
  /** Present after a roll-over. */
  readonly progress?: FanOutProgress;
}

export type StepInput = Pick<FanOutInput, 'tenant' | 'id'>;
export interface Stepped {
  /** Null: the desk knows no such fan-out (any more). */
  readonly progress: FanOutProgress | null;
  /** Before the next step, ms: nobody answered just now. */
  readonly pauseMs: number;
}

export interface FanOutActivities {
  /** Reaches the next runs, at the tenant's pace, for some seconds. Repeated after a kill, it does nothing twice. */
  stepFanOut(input: StepInput): Promise<Stepped>;
  /** Nobody new has their turn from now on. */
  cancelFanOut(input: StepInput): Promise<void>;
}

export const fanOutProgress = defineQuery<FanOutProgress | null>('progress');

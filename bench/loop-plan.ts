/** What the processes of the loop benchmark agree on. */
import { TASK_QUEUE } from '../src/temporal/task-queues.ts';

/** `bare`: the bare loop. `run`: our workflow, our activities and a desk. */
export const KINDS = ['bare', 'run'] as const;
export type Kind = (typeof KINDS)[number];
export const QUEUES = { bare: 'bare', run: TASK_QUEUE } as const;

export interface Plan {
  readonly runs: number;
  readonly ticks: number;
  /** Between a tick's end and the next: a timer also under load, since an absolute due time that is past would skip it. */
  readonly intervalMs: number;
}

export type ToWorker = 'report' | 'stop';
/** When ticks ended, ms since 1970, by run; all since the last report. */
export type FromWorker = 'ready' | Readonly<Record<string, readonly number[]>>;

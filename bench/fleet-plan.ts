/** What the processes of the fleet benchmark agree on. */

export interface Plan {
  readonly temporal: string;
  /** Of the ERP's server. */
  readonly erp: string;
  readonly token: string;
  readonly callsPerSecond: number;
  readonly tenants: readonly string[];
  /** Of the desk: the second worker finds what the first left. */
  readonly dataDir: string;
  readonly databaseUrl: string;
}

export type ToWorker = 'report' | 'stop';

export interface Ticked {
  readonly run: string;
  readonly agent: string;
  readonly tick: number;
  /** After the due time, seconds. */
  readonly lag: number;
  /** ms since 1970. */
  readonly endedAt: number;
}

export interface Report {
  /** Runs that were prepared. */
  readonly prepared: number;
  /** Every tick that was decided, twice if it was. */
  readonly ticks: readonly Ticked[];
  /** Attempts that were put off: the ERP's or our own limit, an outage. */
  readonly putOff: number;
  /** Triggers that were told. */
  readonly opened: number;
  /** Most memory the worker's process ever held, MB. */
  readonly peakMb: number;
  /** Of each call to the ERP without the wait for our limit, seconds. */
  readonly erpSeconds: readonly number[];
}
export type FromWorker = 'ready' | Report;

/** What every command is handed. */
import type { Check } from '../domain/checks.ts';
import type { Api } from './api.ts';
import type { Terminal } from './terminal.ts';

/** Commands that are more than a question to the server: loaded only when asked for, since they load Temporal. */
export interface Processes {
  dev(): Promise<void>;
  worker(options: { readonly queues?: readonly string[] }): Promise<void>;
  server(): Promise<void>;
  doctor(options: { readonly fix: boolean }): Promise<readonly Check[]>;
  /** Tries a CRM's own server against the contract of `docs/crm-channel.openapi.json`. */
  conformance(options: ConformanceOptions): Promise<readonly Check[]>;
  /** Tries an ERP's server against the contract of `docs/erp.openapi.json`. */
  erpConformance(options: ErpConformanceOptions): Promise<readonly Check[]>;
  /** A provider to play with, until it is ended. */
  simulate(options: SimulateOptions): Promise<void>;
  /** `source`: a run's name, or a file that holds a history. @throws when the code and the history part ways. */
  replay(source: string): Promise<{ readonly workflowId: string; readonly events: number }>;
}

export type SimulateKind = 'whatsapp' | 'chatwoot' | 'crm';

export interface SimulateOptions {
  readonly kind: SimulateKind;
  /** Where Attaché listens. */
  readonly url: string;
  readonly tenant: string;
  readonly port: number;
  readonly from?: string;
  readonly noise?: {
    readonly seed: number;
    readonly duplicated: number;
    readonly late: number;
    readonly lateByMs: number;
    readonly dropped: number;
  };
  readonly latencyMs?: number;
  readonly window?: boolean;
  /** ms since 1970. */
  readonly clock?: number;
}

export interface ConformanceOptions {
  readonly url: string;
  readonly secret?: string;
  readonly tenant?: string;
  readonly conversation?: string;
  readonly address?: string;
}

export interface ErpConformanceOptions {
  readonly url: string;
  readonly token?: string;
  readonly tenant?: string;
}

export interface Context {
  readonly terminal: Terminal;
  readonly processes: Processes;
  /** Where the server is that a simulated provider posts to. */
  readonly serverUrl: () => string;
  /** False: whoever watches has enough. */
  readonly wait: (ms: number) => Promise<boolean>;
  /** Read when a command asks the server, so that the others need none. */
  readonly api: () => Api;
}

/** The configuration as the rest of the system is handed it. */
import type { NativeConnectionOptions } from '@temporalio/worker';
import type { ApiKey } from './api-keys.ts';
import type { TenantConfig } from './config-file.ts';
import type { LogLevel } from './environment.ts';

/**
 * `dev` brings its own Temporal and database; `doctor` looks at whatever is there and demands nothing; `replay` reads no
 * file of tenants, so that a mistake in it is not in its way.
 */
export type Command = 'dev' | 'worker' | 'server' | 'doctor' | 'replay';

/** Deep-frozen. */
export interface Config {
  readonly http: { readonly host: string; readonly port: number };
  /** Where a worker shows its metrics; undefined: nowhere. A server shows its own beside the API. */
  readonly metricsPort: number | undefined;
  /** Absolute. */
  readonly dataDir: string;
  readonly database:
    { readonly kind: 'pglite'; readonly folder: string } | { readonly kind: 'postgres'; readonly url: string };
  readonly temporal: EmbeddedTemporalConfig | ExternalTemporalConfig;
  /** Where people find Temporal's Web UI; undefined: at the embedded one's own address, or nobody knows. */
  readonly temporalUiUrl: string | undefined;
  /** `cli`: TEMPORAL_CLI_PATH; `path`: the PATH. See `temporal/binaries.ts`. */
  readonly binaries: { readonly cli: string | undefined; readonly path: string };
  /** Where people reach this server; undefined: at its own address. */
  readonly publicUrl: string | undefined;
  /** Signs the links with which people decide on investigations. Undefined: see `processes/decision-links.ts`. */
  readonly linkSecret: string | undefined;
  /** Empty only in `dev` and `doctor`: then the API is open to loopback callers and nobody else. */
  readonly apiKeys: readonly ApiKey[];
  /** By tenant id. */
  readonly tenants: Readonly<Record<string, TenantConfig>>;
  readonly llm: { readonly baseUrl: string; readonly apiKey: string | undefined; readonly model: string } | null;
  readonly logLevel: LogLevel;
}

/** Undefined ports: any free one. */
export interface EmbeddedTemporalConfig {
  readonly kind: 'embedded';
  readonly port: number | undefined;
  readonly uiPort: number | undefined;
}

export interface ExternalTemporalConfig {
  readonly kind: 'external';
  /** As `@temporalio/envconfig` read it; for client and worker alike. */
  readonly connection: NativeConnectionOptions & { readonly address: string };
  readonly namespace: string;
}

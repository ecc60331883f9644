/**
 * The configuration: environment and `attache.config.json`, parsed once, frozen and passed down. The only file that
 * reads the environment.
 */
import type { Command, Config } from './config/config-type.ts';

export type { ApiKey } from './config/api-keys.ts';
export { ConfigError } from './config/config-error.ts';
export type { Command, Config } from './config/config-type.ts';

/** @throws {ConfigError} with every problem at once. */
export async function loadConfig(command: Command): Promise<Config> {
  // Loaded when asked for: the commands that speak HTTP start faster without schemas and Temporal's own settings.
  const { readConfig } = await import('./config/load-config.ts');
  return readConfig({ command, env: process.env, folder: process.cwd() });
}

/** What a command that speaks HTTP needs; `url` absent: the running `attache dev` of this folder. */
export interface ClientSettings {
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  readonly dataDir: string;
}

export function loadClientSettings(): ClientSettings {
  const { ATTACHE_URL, ATTACHE_API_KEY, ATTACHE_DATA_DIR } = process.env;
  return {
    url: ATTACHE_URL || undefined,
    apiKey: ATTACHE_API_KEY || undefined,
    dataDir: ATTACHE_DATA_DIR || '.attache',
  };
}

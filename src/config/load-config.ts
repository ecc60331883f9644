/** Puts the environment and `attache.config.json` together, judges them, and reports every problem at once. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { InputProblem } from '../domain/errors.ts';
import { problemsOf } from '../domain/schemas/issues.ts';
import { parseApiKeys } from './api-keys.ts';
import { ConfigError } from './config-error.ts';
import { type ConfigFile, DEMO_TENANTS, parseConfigFile } from './config-file.ts';
import type { Command, Config } from './config-type.ts';
import { Environment, type Variables, withoutEmpty } from './environment.ts';

/** Read when it is there and ATTACHE_CONFIG names no other. */
const DEFAULT_FILE = 'attache.config.json';
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

interface Source {
  readonly command: Command;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What relative paths count from. */
  readonly folder: string;
}

/** @throws {ConfigError} */
export function readConfig({ command, env, folder }: Source): Config {
  const given = withoutEmpty(env);
  const { values, problems, bad } = readVariables(given);
  const { keys, problems: keyProblems } = parseApiKeys(values.ATTACHE_API_KEYS);
  const { tenants, problems: fileProblems } = command === 'replay' ? NO_TENANTS : readTenants(values, given, folder);
  const { temporal, problems: temporalProblems } = readTemporal(values, given, command);
  problems.push(...keyProblems, ...fileProblems, ...temporalProblems);
  problems.push(...brokenRules(values, command, keys.length > 0).filter(({ path }) => !bad.has(path)));
  if (problems.length > 0) throw new ConfigError(problems);

  const dataDir = resolve(folder, values.ATTACHE_DATA_DIR);
  return deepFreeze<Config>({
    http: { host: values.HOST, port: values.PORT },
    metricsPort: values.ATTACHE_METRICS_PORT,
    dataDir,
    database: values.DATABASE_URL
      ? { kind: 'postgres', url: values.DATABASE_URL }
      : { kind: 'pglite', folder: resolve(dataDir, 'desk') },
    temporal,
    temporalUiUrl: values.ATTACHE_TEMPORAL_UI_URL,
    binaries: { cli: values.TEMPORAL_CLI_PATH, path: given['PATH'] ?? '' },
    publicUrl: values.ATTACHE_PUBLIC_URL,
    linkSecret: values.ATTACHE_LINK_SECRET,
    apiKeys: keys,
    tenants,
    llm:
      values.LLM_BASE_URL && values.LLM_MODEL
        ? { baseUrl: values.LLM_BASE_URL, apiKey: values.LLM_API_KEY, model: values.LLM_MODEL }
        : null,
    logLevel: values.LOG_LEVEL,
  });
}

/** What is wrong in itself is reported here; the other rules then judge the rest without it. */
function readVariables(given: Record<string, string>): {
  values: Variables;
  problems: InputProblem[];
  bad: Set<string>;
} {
  const parsed = Environment.safeParse(given);
  if (parsed.success) return { values: parsed.data, problems: [], bad: new Set() };
  const problems = problemsOf(parsed.error);
  const bad = new Set(problems.map(({ path }) => path));
  const values = Environment.parse(Object.fromEntries(Object.entries(given).filter(([name]) => !bad.has(name))));
  return { values, problems, bad };
}

type Tenants = { tenants: ConfigFile['tenants']; problems: InputProblem[] };

const NO_TENANTS: Tenants = { tenants: {}, problems: [] };

function readTenants(values: Variables, given: Record<string, string>, folder: string): Tenants {
  const file = values.ATTACHE_CONFIG ?? DEFAULT_FILE;
  let text: string;
  try {
    text = readFileSync(resolve(folder, file), 'utf8');
  } catch (error) {
    if (values.ATTACHE_CONFIG === undefined) return { tenants: DEMO_TENANTS, problems: [] };
    const message = `names a file that cannot be read (${codeOf(error)}); correct the path`;
    return { tenants: {}, problems: [{ path: 'ATTACHE_CONFIG', message: `${message}: ${resolve(folder, file)}` }] };
  }
  return parseConfigFile({ text, file, env: given });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

type Temporal = { temporal: Config['temporal']; problems: InputProblem[] };

/** `dev` starts its own Temporal unless it is told of another; everything else reads what Temporal's own tools read. */
function readTemporal(values: Variables, given: Record<string, string>, command: Command): Temporal {
  const told = values.TEMPORAL_ADDRESS ?? values.TEMPORAL_PROFILE;
  const embedded: Config['temporal'] = {
    kind: 'embedded',
    port: values.ATTACHE_TEMPORAL_PORT,
    uiPort: values.ATTACHE_TEMPORAL_UI_PORT,
  };
  if (command === 'dev' && told === undefined) return { temporal: embedded, problems: [] };
  try {
    const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars: given });
    // Nowhere is Temporal named: then what is looked for is the embedded one.
    if ((command === 'doctor' || command === 'replay') && connectionOptions.address === undefined)
      return { temporal: embedded, problems: [] };
    const connection = { ...connectionOptions, address: connectionOptions.address ?? '127.0.0.1:7233' };
    return { temporal: { kind: 'external', connection, namespace: namespace ?? 'default' }, problems: [] };
  } catch (error) {
    const path = values.TEMPORAL_PROFILE ? 'TEMPORAL_PROFILE' : 'TEMPORAL_*';
    const message = `Temporal's client configuration cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return { temporal: embedded, problems: [{ path, message }] };
  }
}

/** What is right in itself and wrong together. */
function brokenRules(values: Variables, command: Command, hasKeys: boolean): InputProblem[] {
  const problems: InputProblem[] = [];
  if (command === 'server' && !hasKeys)
    problems.push({ path: 'ATTACHE_API_KEYS', message: 'is required outside dev: name:role:tenant:secret,…' });
  if (command === 'dev' && !hasKeys && !LOOPBACK.has(values.HOST))
    problems.push({
      path: 'HOST',
      message: `"${values.HOST}" opens the API to others: set ATTACHE_API_KEYS too, or use 127.0.0.1`,
    });
  if ((command === 'server' || command === 'worker') && values.DATABASE_URL === undefined)
    problems.push({
      path: 'DATABASE_URL',
      message: `is required by \`attache ${command}\`: without it the desk is an embedded database that one \`attache dev\` alone can open`,
    });
  if (values.LLM_BASE_URL !== undefined && values.LLM_MODEL === undefined)
    problems.push({ path: 'LLM_MODEL', message: 'is required with LLM_BASE_URL: name the model' });
  if (values.LLM_MODEL !== undefined && values.LLM_BASE_URL === undefined)
    problems.push({
      path: 'LLM_BASE_URL',
      message: 'is required with LLM_MODEL: the address of an OpenAI-compatible API',
    });
  const { ATTACHE_TEMPORAL_PORT: port, ATTACHE_TEMPORAL_UI_PORT: uiPort } = values;
  if (port !== undefined && port === uiPort)
    problems.push({ path: 'ATTACHE_TEMPORAL_UI_PORT', message: `is ATTACHE_TEMPORAL_PORT's ${port}; choose another` });
  return problems;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const item of Object.values(value)) deepFreeze(item);
  return Object.freeze(value);
}

/** `attache doctor`: is everything here that Attaché needs, and if not, what to do about it. Changes nothing unless asked. */
import postgres from 'postgres';
import { createRegistry } from './agents/registry.ts';
import type { Check } from './domain/checks.ts';
import { ConfigError, loadConfig, type Config } from './config.ts';
import { agentProblems } from './processes/agent-problems.ts';
import { checkServer, type Server } from './processes/check-server.ts';
import { checkTemporal } from './processes/check-temporal.ts';
import { failed, passed, PROBE_TIMEOUT_MS, wordsOf } from './processes/checks.ts';
import { readDevState } from './temporal/dev-state.ts';

/** What `engines` in package.json says. */
const OLDEST_NODE = [20, 20] as const;

export async function examine({ fix, ...server }: { fix: boolean } & Server): Promise<readonly Check[]> {
  const { config, check } = await checkConfiguration();
  return [
    checkNode(),
    check,
    ...(config === undefined
      ? []
      : [...(await checkTemporal(config, fix)), await checkDatabase(config), checkKeys(config)]),
    ...(await checkServer(server)),
  ];
}

/** A mistake in the file of tenants keeps nobody from looking at the rest; one in the environment leaves the server alone. */
async function checkConfiguration(): Promise<{ readonly check: Check; readonly config: Config | undefined }> {
  try {
    const config = await loadConfig('doctor');
    const problems = agentProblems(config, createRegistry());
    if (problems.length > 0) throw new ConfigError(problems);
    return { check: passed('configuration', 'nothing wrong with it'), config };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      check: failed('configuration', error.message, 'correct what is named above'),
      config: await loadConfig('replay').catch(() => undefined),
    };
  }
}

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  return isOld
    ? failed('Node', process.version, `install Node ${OLDEST_NODE.join('.')} or newer`)
    : passed('Node', process.version);
}

function checkKeys({ apiKeys }: Pick<Config, 'apiKeys'>): Check {
  const detail =
    apiKeys.length === 0 ? 'none: the API serves this machine only' : `${apiKeys.length} in ATTACHE_API_KEYS`;
  return passed('keys', detail);
}

async function checkDatabase({ database, dataDir }: Config): Promise<Check> {
  if (database.kind === 'pglite')
    return passed('database', `PGlite in ${database.folder}${readDevState(dataDir) === undefined ? ', not open' : ''}`);
  const client = postgres(database.url, {
    max: 1,
    connect_timeout: PROBE_TIMEOUT_MS / 1_000,
    onnotice: () => undefined,
  });
  try {
    const [row] = await client<{ version: string }[]>`select current_setting('server_version') as version`;
    return passed('database', `PostgreSQL ${row?.version ?? ''}`);
  } catch (error) {
    return failed('database', wordsOf(error), 'check DATABASE_URL, and that PostgreSQL runs there');
  } finally {
    await client.end({ timeout: 1 });
  }
}

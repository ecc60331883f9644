/** `attache doctor`: is everything here that Attaché needs, and if not, what to do about it. Changes nothing unless asked. */
import postgres from 'postgres';
import { createRegistry } from './agents/registry.ts';
import type { Check } from './domain/checks.ts';
import { ConfigError, loadConfig, type Config } from './config.ts';
import { agentProblems } from './processes/agent-problems.ts';
import { checkServer, type Server } from './processes/check-server.ts';
import { checkTemporal } from './processes/check-temporal.ts';
import { checkVersions } from './processes/check-versions.ts';
import { failed, passed, PROBE_TIMEOUT_MS, wordsOf } from './processes/checks.ts';
import { VERSION } from './processes/version.ts';
import { readDevState } from './temporal/dev-state.ts';

/** What `engines` in package.json says. */
const OLDEST_NODE = [20, 20] as const;

export async function examine({ fix, ...server }: { fix: boolean } & Server): Promise<readonly Check[]> {
  const { config, check } = await checkConfiguration();
  const temporal = config === undefined ? undefined : await checkTemporal(config, fix);
  const desk = config === undefined ? [] : [await checkDatabase(config), checkKeys(config)];
  const asked = await checkServer(server);
  const told = [{ part: 'command', version: VERSION } as const, ...asked.servers, ...(temporal?.workers ?? [])];
  return [checkNode(), check, ...(temporal?.checks ?? []), ...desk, ...asked.checks, ...checkVersions(told)];
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
      check: failed(
        'configuration',
        error.message,
        'correct what is named above; what depends on it is looked at then',
      ),
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
  const none = 'none in ATTACHE_API_KEYS here: attache dev serves this machine only, attache server does not start';
  return passed('keys', apiKeys.length === 0 ? none : `${apiKeys.length} in ATTACHE_API_KEYS`);
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
    const [row] = await client<Found[]>`
      select current_setting('server_version') as version, current_database() as name, current_user as role,
        has_database_privilege(current_database(), 'CREATE')
          and coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as "mayMake"`;
    if (row?.mayMake === false) return mayNotMake(row);
    return passed('database', `PostgreSQL ${row?.version ?? ''}`);
  } catch (error) {
    return failed('database', wordsOf(error), remedyFor(error, new URL(database.url).pathname.slice(1)));
  } finally {
    await client.end({ timeout: 1 });
  }
}

interface Found {
  readonly version: string;
  readonly name: string;
  readonly role: string;
  /** The desk's tables and its schema `erp`. */
  readonly mayMake: boolean;
}

function mayNotMake({ name, role }: Found): Check {
  const grant = `psql --dbname ${name} --command 'grant create on database "${name}" to "${role}"; grant create on schema public to "${role}"'`;
  return failed('database', `${role} may not make the desk's tables in ${name}`, `as who owns it: ${grant}`);
}

function remedyFor(error: unknown, name: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  // SQLSTATE: no such database; no such role, or not its password.
  if (code === '3D000') return `make it: createdb ${name}; or correct DATABASE_URL`;
  if (code === '28000' || code === '28P01') return 'correct the user and the password in DATABASE_URL';
  return 'see that PostgreSQL runs there, or correct DATABASE_URL';
}

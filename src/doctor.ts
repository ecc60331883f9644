/** `attache doctor`: is everything here that Attaché needs, and if not, what to do about it. Changes nothing unless asked. */
import postgres from 'postgres';
import { createRegistry } from './agents/registry.ts';
import type { Check } from './cli/context.ts';
import { ConfigError, loadConfig, type Config } from './config.ts';
import { formatDuration } from './domain/durations.ts';
import { agentProblems } from './processes/agent-problems.ts';
import { connectClient, type TemporalTarget } from './temporal/connection.ts';
import { readDevState } from './temporal/dev-state.ts';
import { knownTarget } from './temporal/known-target.ts';
import {
  ensureSearchAttributes,
  missingSearchAttributes,
  registrationCommands,
} from './temporal/register-attributes.ts';

/** What `engines` in package.json says. */
const OLDEST_NODE = [20, 20] as const;
const PROBE_TIMEOUT_MS = 3_000;
const START = 'start everything with attache dev';

/** The server that the other commands would ask, and the key they would show it. */
interface Server {
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
}

export async function examine({ fix, ...server }: { fix: boolean } & Server): Promise<readonly Check[]> {
  const node = checkNode();
  try {
    const config = await loadConfig('doctor');
    const problems = agentProblems(config, createRegistry());
    if (problems.length > 0) throw new ConfigError(problems);
    const temporal = await checkTemporal(config, fix);
    const keys =
      config.apiKeys.length === 0
        ? 'none: the API serves this machine only'
        : `${config.apiKeys.length} in ATTACHE_API_KEYS`;
    return [
      node,
      passed('configuration', 'nothing wrong with it'),
      ...temporal,
      await checkDatabase(config),
      passed('keys', keys),
      ...(await checkServer(server)),
    ];
  } catch (error) {
    if (error instanceof ConfigError)
      return [node, failed('configuration', error.message, 'correct what is named above')];
    throw error;
  }
}

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  return isOld
    ? failed('Node', process.version, `install Node ${OLDEST_NODE.join('.')} or newer`)
    : passed('Node', process.version);
}

async function checkTemporal(config: Config, fix: boolean): Promise<readonly Check[]> {
  const target = knownTarget(config);
  if (target === undefined)
    return [
      failed(
        'Temporal',
        'TEMPORAL_ADDRESS is not set and no attache dev runs here',
        `${START}, or set TEMPORAL_ADDRESS`,
      ),
    ];
  const { namespace } = target;
  const { address } = target.connection;
  let client: Awaited<ReturnType<typeof connectClient>>;
  try {
    client = await connectClient(target);
  } catch (error) {
    return [failed('Temporal', wordsOf(error), `start it at ${address}, or correct TEMPORAL_ADDRESS`)];
  }
  let version = '';
  let retentionMs = 0;
  try {
    const [described, system] = await client.withDeadline(Date.now() + PROBE_TIMEOUT_MS, async () =>
      Promise.all([client.workflowService.describeNamespace({ namespace }), client.workflowService.getSystemInfo({})]),
    );
    version = system.serverVersion;
    retentionMs = Number(described.config?.workflowExecutionRetentionTtl?.seconds ?? 0) * 1_000;
  } catch (error) {
    await client.connection.close();
    return [
      passed('Temporal', address),
      failed(
        'namespace',
        `${namespace}: ${wordsOf(error)}`,
        `temporal operator namespace create --address ${address} --namespace ${namespace}`,
      ),
    ];
  }
  const attributes = await checkAttributes({ target, connection: client.connection, fix });
  await client.connection.close();
  return [
    passed('Temporal', `${address}${version === '' ? '' : `, version ${version}`}`),
    passed('namespace', namespace),
    checkRetention(retentionMs, `--address ${address} --namespace ${namespace}`),
    attributes,
  ];
}

/** The reconciler compares the desk with Temporal: what ended must be there until it has looked. */
const SHORTEST_RETENTION_MS = 86_400_000;

function checkRetention(retentionMs: number, where: string): Check {
  const detail = `runs that ended stay in Temporal for ${retentionMs === 0 ? 'a time that it does not tell' : formatDuration(retentionMs)}`;
  return retentionMs === 0 || retentionMs >= SHORTEST_RETENTION_MS
    ? passed('retention', detail)
    : failed('retention', detail, `temporal operator namespace update ${where} --retention 72h`);
}

type Attributes = Parameters<typeof missingSearchAttributes>[0];

async function checkAttributes({
  target,
  connection,
  fix,
}: {
  target: TemporalTarget;
  connection: Attributes['connection'];
  fix: boolean;
}): Promise<Check> {
  const where = { connection, namespace: target.namespace };
  const name = 'search attributes';
  try {
    const missing = await missingSearchAttributes(where);
    if (missing.length === 0) return passed(name, 'all registered');
    const commands = registrationCommands({
      address: target.connection.address,
      namespace: target.namespace,
      missing,
    }).join('\n        ');
    if (!fix)
      return failed(name, `missing: ${missing.join(', ')}`, `attache doctor --fix, or by hand:\n        ${commands}`);
    try {
      await ensureSearchAttributes(where);
      return passed(name, `registered now: ${missing.join(', ')}`);
    } catch (error) {
      return failed(
        name,
        `could not register ${missing.join(', ')}: ${wordsOf(error)}`,
        `somebody who may types:\n        ${commands}`,
      );
    }
  } catch (error) {
    return failed(name, wordsOf(error), 'may these credentials read the namespace?');
  }
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

async function checkServer({ url, apiKey }: Server): Promise<readonly Check[]> {
  if (url === undefined) return [failed('server', 'none is known here', `${START}, or name one with ATTACHE_URL`)];
  try {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    const text = await response.text();
    if (!response.ok) return [failed('server', `${url} is not ready: ${text.slice(0, 300)}`, 'mend what it names')];
    return [passed('server', url), ...(await checkAccess({ url, apiKey }))];
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return [failed('server', `${url}: ${wordsOf(cause)}`, `${START}, attache server, or correct ATTACHE_URL`)];
  }
}

interface ChannelHealth {
  readonly key: string;
  readonly lately: { readonly sent: number; readonly failed: number };
  readonly off: { readonly by: string } | null;
}

/** Is our key taken there, and do messages go out? */
async function checkAccess({ url, apiKey }: { url: string; apiKey: string | undefined }): Promise<readonly Check[]> {
  const ask = async (path: string) =>
    fetch(new URL(path, url), {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
  const session = await ask('/v1/session');
  if (!session.ok)
    return [
      failed('access', `the server answers ${session.status} to us`, 'set ATTACHE_API_KEY to a key of the server'),
    ];
  const { key, role, tenants } = (await session.json()) as { key: string; role: string; tenants: { id: string }[] };
  const channels = tenants.map(async ({ id }) => {
    const answer = await ask(`/v1/tenants/${id}/channels`);
    const { items = [] } = (await answer.json()) as { items?: ChannelHealth[] };
    return checkChannels(id, items);
  });
  return [passed('access', `${key}, ${role}`), ...(await Promise.all(channels))];
}

function checkChannels(tenant: string, channels: readonly ChannelHealth[]): Check {
  const name = `channels of ${tenant}`;
  const off = channels.find((one) => one.off !== null);
  if (off !== undefined)
    return failed(name, `${off.key} is switched off`, `attache switches --tenant ${tenant} says by whom and why`);
  const failing = channels.find(({ lately }) => lately.failed > 0 && lately.failed >= lately.sent);
  if (failing !== undefined)
    return failed(
      name,
      `${failing.key}: ${failing.lately.failed} sends of the last 24 hours failed, ${failing.lately.sent} went out`,
      'its credentials; attache show RUN --timeline says what the provider answered',
    );
  return passed(name, channels.length === 0 ? 'none' : channels.map(({ key }) => key).join(', '));
}

function passed(name: string, detail: string): Check {
  return { name, ok: true, detail, remedy: null };
}

function failed(name: string, detail: string, remedy: string): Check {
  return { name, ok: false, detail, remedy };
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}

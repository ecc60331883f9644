/** Is the server there that the other commands would ask, does it take our key, and do its channels deliver? */
import type { Check } from '../domain/checks.ts';
import type { Told } from './check-versions.ts';
import { failed, passed, PROBE_TIMEOUT_MS, START, wordsOf } from './checks.ts';

/** The server that the other commands would ask, and the key they would show it. */
export interface Server {
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
}

export interface Looked {
  readonly checks: readonly Check[];
  /** Empty: no server answers. */
  readonly servers: readonly Told[];
}

export async function checkServer({ url, apiKey }: Server): Promise<Looked> {
  const unknown = failed('server', 'none is known here', `${START}, or name one with ATTACHE_URL`);
  if (url === undefined) return { checks: [unknown], servers: [] };
  const get = async (path: string) => fetch(new URL(path, url), { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
  try {
    const version = await versionOf(await get('/healthz'));
    if (version === undefined)
      return { checks: [failed('server', `what answers at ${url} is no Attaché`, 'correct ATTACHE_URL')], servers: [] };
    const ready = await get('/readyz');
    const checks = ready.ok
      ? [passed('server', url), ...(await checkAccess({ url, apiKey }))]
      : [notReady(url, await ready.json().catch(() => null))];
    return { checks, servers: [{ part: 'server', version }] };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const remedy = `${START}, or it alone with attache server; or correct ATTACHE_URL`;
    return { checks: [failed('server', `${url}: ${wordsOf(cause)}`, remedy)], servers: [] };
  }
}

/** What `/readyz` names as not there, and where the server is told of it. */
const NEEDS: Readonly<Record<string, string>> = {
  temporal: 'see that its Temporal runs, and TEMPORAL_ADDRESS where the server runs',
  database: 'see that its database runs, and DATABASE_URL where the server runs',
  searchAttributes: 'attache doctor --fix where the server runs',
};

function notReady(url: string, answer: unknown): Check {
  const { checks = {} } = (answer ?? {}) as { checks?: Readonly<Record<string, string>> };
  const lacking = Object.entries(checks).filter(([need, is]) => is !== 'ok' && need in NEEDS);
  if (lacking.length === 0) return failed('server', `${url} is not ready, and does not say why`, 'read its log');
  const said = lacking.map((one) => one.join(': ')).join('; ');
  return failed('server', `${url} is not ready: ${said}`, lacking.map(([need]) => NEEDS[need]).join('; '));
}

/** Null: an Attaché that tells none; undefined: something else. */
async function versionOf(answer: Response): Promise<string | null | undefined> {
  const health: unknown = await answer.json().catch(() => null);
  if (typeof health !== 'object' || health === null || !('status' in health) || health.status !== 'ok')
    return undefined;
  return 'version' in health && typeof health.version === 'string' ? health.version : null;
}

interface ChannelHealth {
  readonly key: string;
  readonly lately: { readonly sent: number; readonly failed: number };
  readonly shut: { readonly code: string; readonly since: string } | null;
}

interface Switch {
  readonly scope: string;
  readonly key: string;
  readonly by: string;
  readonly reason: string | null;
}

interface ListedRun {
  readonly workflowId: string;
  readonly heldUp: string | null;
}

/** Is our key taken there, do messages go out, is anything switched off, and does every run wake that is due? */
async function checkAccess({ url, apiKey }: { url: string; apiKey: string | undefined }): Promise<readonly Check[]> {
  const ask = async (path: string) =>
    fetch(new URL(path, url), {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
  const session = await ask('/v1/session');
  if (!session.ok) {
    const { detail = '' } = (await session.json().catch(() => ({}))) as { detail?: string };
    const remedy = 'set ATTACHE_API_KEY to a key of the server';
    return [failed('access', `the server answers ${session.status} to us: ${detail}`, remedy)];
  }
  const { key, role, tenants } = (await session.json()) as { key: string; role: string; tenants: { id: string }[] };
  const list = async <Item>(path: string) => {
    const { items = [] } = (await (await ask(path)).json()) as { items?: readonly Item[] };
    return items;
  };
  const checks = tenants.map(async ({ id }) => [
    checkChannels(id, await list<ChannelHealth>(`/v1/tenants/${id}/channels`)),
    ...checkSwitches(id, await list<Switch>(`/v1/tenants/${id}/switches`)),
    ...checkRuns(id, await list<ListedRun>(`/v1/tenants/${id}/runs?status=IN_PROGRESS&sort=trouble&limit=200`)),
  ]);
  return [passed('access', `${key}, ${role}`), ...(await Promise.all(checks)).flat()];
}

/** Whoever switched something off knows it; whoever asks why nothing goes out may not. */
function checkSwitches(tenant: string, switches: readonly Switch[]): readonly Check[] {
  return switches.map(({ scope, key, by, reason }) =>
    failed(
      `switches of ${tenant}`,
      `${scope}/${key} is switched off by ${by}${reason === null ? '' : `: ${reason}`}`,
      `attache switches on ${quoted(`${scope}/${key}`)} --tenant ${tenant}, once the reason is gone`,
    ),
  );
}

/** For a shell: `tenant/*` would be taken for files. */
function quoted(name: string): string {
  return name.includes('*') ? `'${name}'` : name;
}

/** Nothing is said of those that wake: a tenant may have thousands. */
function checkRuns(tenant: string, runs: readonly ListedRun[]): readonly Check[] {
  const held = runs.filter(({ heldUp }) => heldUp != null);
  const [first] = held;
  if (first === undefined) return [];
  const more = held.length === 1 ? '' : `, and ${held.length - 1} more`;
  const detail = `${first.workflowId} cannot wake: ${first.heldUp ?? ''}${more}`;
  return [
    failed(
      `runs of ${tenant}`,
      detail,
      'deploy a worker that can, with what it needs in attache.config.json, or detach it',
    ),
  ];
}

function checkChannels(tenant: string, channels: readonly ChannelHealth[]): Check {
  const name = `channels of ${tenant}`;
  const refused = channels.find(({ shut }) => shut != null);
  if (refused?.shut != null)
    return failed(
      name,
      `${refused.key}: the provider refuses us since ${refused.shut.since} (${refused.shut.code})`,
      'its credentials in attache.config.json, and its account at the provider; what waits is sent then',
    );
  const failing = channels.find(({ lately }) => lately.failed > 0 && lately.failed >= lately.sent);
  if (failing !== undefined)
    return failed(
      name,
      `${failing.key}: ${failing.lately.failed} sends of the last 24 hours failed, ${failing.lately.sent} went out`,
      'its credentials; attache show RUN --timeline says what the provider answered',
    );
  return passed(name, channels.length === 0 ? 'none' : channels.map(({ key }) => key).join(', '));
}

/** Is the server there that the other commands would ask, does it take our key, and do its channels deliver? */
import type { Check } from '../domain/checks.ts';
import { failed, passed, PROBE_TIMEOUT_MS, START, wordsOf } from './checks.ts';

/** The server that the other commands would ask, and the key they would show it. */
export interface Server {
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
}

export async function checkServer({ url, apiKey }: Server): Promise<readonly Check[]> {
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
  readonly shut: { readonly code: string; readonly since: string } | null;
}

interface ListedRun {
  readonly workflowId: string;
  readonly heldUp: string | null;
}

/** Is our key taken there, do messages go out, and does every run wake that is due? */
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
  const runs = tenants.map(async ({ id }) => {
    const answer = await ask(`/v1/tenants/${id}/runs?status=IN_PROGRESS&sort=trouble&limit=200`);
    const { items = [] } = (await answer.json()) as { items?: ListedRun[] };
    return checkRuns(id, items);
  });
  return [passed('access', `${key}, ${role}`), ...(await Promise.all(channels)), ...(await Promise.all(runs)).flat()];
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
  const off = channels.find((one) => one.off !== null);
  if (off !== undefined)
    return failed(name, `${off.key} is switched off`, `attache switches --tenant ${tenant} says by whom and why`);
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

/** Every act is written down before it is done, with who asked and why, and afterwards with what became of it. */
import type { TenantId } from '../domain/ids.ts';
import type { HttpDeps } from './deps.ts';
import { knownProblem } from './faults.ts';
import { PROBLEMS } from './problems.ts';

interface AuditedAct {
  readonly tenant: TenantId | '*';
  readonly actor: string;
  readonly act: string;
  readonly target: string;
  readonly body: unknown;
}

export async function audited(
  { body, ...entry }: AuditedAct,
  { desk, log }: Pick<HttpDeps, 'desk' | 'log'>,
  execute: () => Promise<Response>,
): Promise<Response> {
  const id = await desk.audit.open({ ...entry, reason: wordIn(body, 'reason') ?? null });
  const close = async (status: number) =>
    desk.audit.close(id, status).catch((error: unknown) => {
      log.warn({ audit: id, status, cause: String(error) }, 'what became of an act could not be written down');
    });
  try {
    const response = await execute();
    await close(response.status);
    return response;
  } catch (error) {
    const known = knownProblem(error);
    await close(known === undefined ? 500 : PROBLEMS[known.code].status);
    throw error;
  }
}

/** `/runs/conversation/:conversation/:slot/detach` → `runs.detach` and `conversation/42/answering`; what is made is named in its body. */
export function actOf(
  { method, path, act }: { readonly method: string; readonly path: string; readonly act?: string | undefined },
  param: (name: string) => string,
  body: unknown,
): { act: string; target: string } {
  const [resource = '', ...rest] = path.split('/').filter((segment) => segment !== '');
  const last = rest.at(-1) ?? ':';
  const verb = method === 'post' && !last.startsWith(':') ? last : undefined;
  const named = (verb === undefined ? rest : rest.slice(0, -1)).map((segment) =>
    segment.startsWith(':') ? param(segment.slice(1)) : segment,
  );
  const target = named.length > 0 ? named.join('/') : (wordIn(body, 'subject') ?? wordIn(body, 'name') ?? '');
  return { act: act ?? `${resource}.${verb ?? VERBS[method] ?? method}`, target };
}

const VERBS: Readonly<Record<string, string>> = { post: 'create', put: 'change', delete: 'delete' };

/** A text member of a body; undefined when there is none. */
export function wordIn(body: unknown, name: string): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value: unknown = Object.entries(body).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : undefined;
}

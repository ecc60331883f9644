/** Who a caller is, and what they may do. How they are known: `authenticators.ts`. */
import type { KeyRef } from '../desk/desk.ts';
import type { ConversationId, TenantId } from '../domain/ids.ts';
import { allows, type Role } from '../domain/roles.ts';
import { ProblemError } from './problems.ts';

export interface Caller {
  /** Of the key. */
  readonly name: string;
  readonly role: Role;
  readonly tenant: TenantId | '*';
  /** Who signed in; null for a machine, whose requests say on whose behalf they come. */
  readonly person: string | null;
  /** The key behind it, whatever it came by; null: this machine is served without any. */
  readonly key: KeyRef | null;
  /** Of an embedded panel: the one conversation it shows, and what it may do there. Null: no such bounds. */
  readonly panel: Panel | null;
}
export interface Panel {
  readonly conversation: ConversationId;
  readonly acts: readonly string[];
  readonly expiresAt: string;
}

interface Need {
  readonly role: Role;
  readonly tenant: TenantId;
  /** The conversation in the path, and the act at its end; absent where the route has none. */
  readonly conversation?: string | undefined;
  readonly act?: string | undefined;
}

/** @throws {ProblemError} `forbidden` */
export function authorize(caller: Caller, need: Need): void {
  if (caller.tenant !== '*' && caller.tenant !== need.tenant)
    throw new ProblemError('forbidden', `the key ${caller.name} is not for tenant ${need.tenant}`);
  if (!allows(caller.role, need.role))
    throw new ProblemError('forbidden', `the key ${caller.name} has the role ${caller.role}; this needs ${need.role}`);
  const { panel } = caller;
  if (panel === null) return;
  if (panel.conversation !== need.conversation)
    throw new ProblemError('forbidden', `this embed token is for conversation ${panel.conversation} alone`);
  if (need.act !== undefined && !panel.acts.includes(need.act))
    throw new ProblemError('forbidden', `this embed token does not allow ${need.act}`);
}

/** `key name/by`, or the key's name alone. Whoever signed in acts under that name, whatever a request says. */
export function actorOf({ name, person }: Caller, by: string | undefined): string {
  const who = person ?? by;
  return who === undefined || who === '' ? name : `${name}/${who}`;
}

/**
 * A browser sends Origin with what a page asks for and Host with the name it resolved: a foreign page, and one whose
 * name was rebound to 127.0.0.1, are both told by them.
 * @throws {ProblemError} `host_not_allowed`
 */
export function assertLocal(request: Request): void {
  const host = hostOf(request);
  if (!isLoopback(host))
    throw new ProblemError(
      'host_not_allowed',
      `Host ${host.slice(0, 100)} is not this machine; set ATTACHE_API_KEYS to serve others`,
    );
  const origin = request.headers.get('origin');
  if (origin !== null && hostIn(origin) !== host.toLowerCase())
    throw new ProblemError(
      'host_not_allowed',
      `Origin ${origin.slice(0, 100)} is another site; set ATTACHE_API_KEYS to serve others`,
    );
}

/**
 * A cookie goes along with whatever page asks: what changes something must come from a page of ours. Browsers say so in
 * Sec-Fetch-Site, older ones by Origin alone.
 * @throws {ProblemError} `foreign_origin`
 */
export function assertOwnPage(request: Request): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const site = request.headers.get('sec-fetch-site');
  const origin = request.headers.get('origin');
  if (site === 'same-origin') return;
  if (site === null && origin !== null && hostIn(origin) === hostOf(request).toLowerCase()) return;
  throw new ProblemError(
    'foreign_origin',
    'a request that comes with a session must come from a page of this server; machines send Authorization: Bearer',
  );
}

function hostOf(request: Request): string {
  return request.headers.get('host') ?? new URL(request.url).host;
}

function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  return name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

function hostIn(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}

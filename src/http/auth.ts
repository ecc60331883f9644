/** Who asks. With keys: `Authorization: Bearer`. Without: this machine only, and no page of another site. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { ApiKey } from '../config.ts';
import type { TenantId } from '../domain/ids.ts';
import { allows, type Role } from '../domain/roles.ts';
import { ProblemError } from './problems.ts';

export interface Caller {
  readonly name: string;
  readonly role: Role;
  readonly tenant: TenantId | '*';
}
const LOCAL: Caller = { name: 'local', role: 'admin', tenant: '*' };

/** @throws {ProblemError} `unauthenticated`, `host_not_allowed` */
export function authenticate(request: Request, keys: readonly ApiKey[]): Caller {
  if (keys.length === 0) {
    assertLocal(request);
    return LOCAL;
  }
  const secret = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (secret === undefined)
    throw new ProblemError('unauthenticated', 'send Authorization: Bearer and a key of ATTACHE_API_KEYS');
  // All keys are compared, each in constant time: how long it takes tells nothing.
  const found = keys.filter((key) => timingSafeEqual(digest(key.secret), digest(secret))).at(0);
  if (found === undefined) throw new ProblemError('unauthenticated', 'this key is none of ATTACHE_API_KEYS');
  return found;
}

/** @throws {ProblemError} `forbidden` */
export function authorize(caller: Caller, need: { readonly role: Role; readonly tenant: TenantId }): void {
  if (caller.tenant !== '*' && caller.tenant !== need.tenant)
    throw new ProblemError('forbidden', `the key ${caller.name} is not for tenant ${need.tenant}`);
  if (!allows(caller.role, need.role))
    throw new ProblemError('forbidden', `the key ${caller.name} is a ${caller.role}'s; this needs ${need.role}`);
}

/** `key name/by`, or the key's name alone. */
export function actorOf(caller: Caller, by: string | undefined): string {
  return by === undefined || by === '' ? caller.name : `${caller.name}/${by}`;
}

/**
 * A browser sends Origin with what a page asks for and Host with the name it resolved: a foreign page, and one whose
 * name was rebound to 127.0.0.1, are both told by them.
 * @throws {ProblemError} `host_not_allowed`
 */
export function assertLocal(request: Request): void {
  const host = request.headers.get('host') ?? new URL(request.url).host;
  if (!isLoopback(host))
    throw new ProblemError(
      'host_not_allowed',
      `Host ${host.slice(0, 100)} is not this machine; set ATTACHE_API_KEYS to serve others`,
    );
  const origin = request.headers.get('origin');
  if (origin !== null && hostOf(origin) !== host.toLowerCase())
    throw new ProblemError(
      'host_not_allowed',
      `Origin ${origin.slice(0, 100)} is another site; set ATTACHE_API_KEYS to serve others`,
    );
}

function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  return name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

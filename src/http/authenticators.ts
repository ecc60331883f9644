/**
 * How a caller is known: by a key, by a session opened with one, or, without keys, by asking from this machine. Single
 * sign-on will be one more of them.
 */
import { timingSafeEqual } from 'node:crypto';
import type { ApiKey } from '../config.ts';
import type { Desk, KeyRef } from '../desk/desk.ts';
import { assertLocal, assertOwnPage, type Caller } from './auth.ts';
import { isEmbedToken, readEmbedToken } from './embed-token.ts';
import { ProblemError } from './problems.ts';
import { digest, fingerprintOf, keyIdOf, SESSION_COOKIE, SESSION_IDLE_MS, type KnownKey } from './secrets.ts';

/** Null: this request says nothing of the kind that is looked for; the next is asked. @throws {ProblemError} when it does, and wrongly. */
export type Authenticator = (request: Request) => Promise<Caller | null>;

/** @throws {ProblemError} `unauthenticated`, `host_not_allowed`, `foreign_origin` */
export type Authenticate = (request: Request) => Promise<Caller>;

interface Deps {
  readonly desk: Pick<Desk, 'keys' | 'sessions' | 'secrets'>;
  /** Of the configuration. Empty: this machine is served without any. */
  readonly keys: readonly ApiKey[];
}

export function createAuthenticate(deps: Deps): Authenticate {
  const ways: readonly Authenticator[] = [byPanel(deps), byKey(deps), bySession(deps), byMachine(deps)];
  return async (request) => {
    for (const way of ways) {
      const caller = await way(request);
      if (caller !== null) return caller;
    }
    throw new ProblemError('unauthenticated', 'send Authorization: Bearer and an API key, or sign in');
  };
}

/** A usable key by its secret. All of the configuration's are compared, each in constant time; the desk's are found by their id. */
export async function findKey(secret: string, { desk, keys }: Deps): Promise<KnownKey | null> {
  const hash = digest(secret);
  const configured = keys.filter((key) => timingSafeEqual(digest(key.secret), hash)).at(0);
  if (configured !== undefined) {
    const { name, role, tenant } = configured;
    return { name, role, tenant, ref: { kind: 'configured', fingerprint: fingerprintOf(configured) } };
  }
  const id = keyIdOf(secret);
  const stored = id === undefined ? null : await desk.keys.usable(id);
  if (stored === null || !timingSafeEqual(Buffer.from(stored.hash, 'hex'), hash)) return null;
  const { name, role, tenant } = stored;
  return { name, role, tenant, ref: { kind: 'desk', id: stored.id } };
}

function byPanel(deps: Deps): Authenticator {
  return async (request) => {
    const token = bearerIn(request);
    if (token === undefined || !isEmbedToken(token)) return null;
    const { tenant, conversation, acts, until, name, key, person } = await readEmbedToken(token, deps);
    if (!(await isUsable(key, deps)))
      throw new ProblemError('unauthenticated', 'the key that made this embed token may no longer be used');
    const panel = { conversation, acts, expiresAt: new Date(until * 1_000).toISOString() };
    return { name, role: acts.length > 0 ? 'operator' : 'viewer', tenant, person, key, panel };
  };
}

async function isUsable(key: KeyRef | null, { desk, keys }: Deps): Promise<boolean> {
  if (key === null) return keys.length === 0;
  if (key.kind === 'desk') return (await desk.keys.usable(key.id)) !== null;
  return keys.some((one) => fingerprintOf(one) === key.fingerprint);
}

function byKey(deps: Deps): Authenticator {
  return async (request) => {
    const secret = bearerIn(request);
    if (secret === undefined) return null;
    const key = await findKey(secret, deps);
    if (key !== null) {
      const { name, role, tenant, ref } = key;
      return { name, role, tenant, person: null, key: ref, panel: null };
    }
    if (deps.keys.length === 0) return null;
    throw new ProblemError('unauthenticated', 'this key is unknown, expired or revoked');
  };
}

function bySession({ desk, keys }: Deps): Authenticator {
  return async (request) => {
    const cookie = cookieIn(request);
    if (cookie === undefined) return null;
    const session = await desk.sessions.find(digest(cookie).toString('hex'), SESSION_IDLE_MS);
    if (session === null) return null;
    const key = session.kind === 'desk' ? session.key : keys.find((one) => fingerprintOf(one) === session.fingerprint);
    if (key === undefined) return null;
    assertOwnPage(request);
    const { name, role, tenant } = key;
    const ref: KeyRef =
      session.kind === 'desk'
        ? { kind: 'desk', id: session.key.id }
        : { kind: 'configured', fingerprint: session.fingerprint };
    return { name, role, tenant, person: session.person, key: ref, panel: null };
  };
}

function byMachine({ keys }: Deps): Authenticator {
  return (request) => {
    if (keys.length > 0) return Promise.resolve(null);
    assertLocal(request);
    return Promise.resolve({ name: 'local', role: 'admin', tenant: '*', person: null, key: null, panel: null });
  };
}

function bearerIn(request: Request): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}

export function cookieIn(request: Request): string | undefined {
  const cookies = (request.headers.get('cookie') ?? '').split(/; */);
  return cookies.find((one) => one.startsWith(`${SESSION_COOKIE}=`))?.slice(SESSION_COOKIE.length + 1);
}

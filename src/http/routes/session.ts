/** Signing in: a key and a person's name become a cookie, which no script can read and no other site can use. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { Session } from '../answers/session.ts';
import { audited } from '../audited.ts';
import { actorOf, assertLocal, assertOwnPage, type Caller } from '../auth.ts';
import { cookieIn, findKey, type Authenticate } from '../authenticators.ts';
import { assertStorable, readJson } from '../bodies.ts';
import type { HttpDeps } from '../deps.ts';
import { invalidInput } from '../faults.ts';
import type { OpenRoute } from '../openapi.ts';
import { ProblemError } from '../problems.ts';
import { digest, drawSession, SESSION_COOKIE, SESSION_LIFE_MS } from '../secrets.ts';

const SESSION_PATH = '/v1/session';
const SignIn = z.strictObject({ key: z.string().min(1).max(500), by: z.string().trim().min(1).max(200) });
export const SESSION_ROUTES: readonly OpenRoute[] = [
  {
    method: 'post',
    path: SESSION_PATH,
    summary: 'Sign in: sets the cookie attache_session',
    body: SignIn,
    answers: { 201: Session },
  },
  { method: 'get', path: SESSION_PATH, summary: 'Who asks, as what, for which tenants', answers: { 200: Session } },
  { method: 'delete', path: SESSION_PATH, summary: 'Sign out', answers: { 204: 'signed out' } },
];

type Deps = Pick<HttpDeps, 'desk' | 'keys' | 'tenants' | 'log' | 'temporalWeb'> & {
  readonly authenticate: Authenticate;
};

export function sessionRoutes(app: Hono, deps: Deps): void {
  const { desk, authenticate, keys } = deps;
  app.get(SESSION_PATH, async (context) => {
    const caller = await authenticate(context.req.raw);
    return Response.json(shown(caller, deps), { headers: { 'cache-control': 'no-store' } });
  });
  app.post(SESSION_PATH, async (context) => {
    if (keys.length === 0) assertLocal(context.req.raw);
    const { key: secret, by } = await signInOf(context.req.raw);
    const key = await findKey(secret, deps);
    if (key === null) throw new ProblemError('unauthenticated', 'this key is unknown, expired or revoked');
    const { name, role, tenant, ref } = key;
    const caller = { name, role, tenant, person: by, key: ref, panel: null };
    const entry = { tenant, actor: actorOf(caller, undefined), act: 'session.begin', target: '', body: undefined };
    return audited(entry, deps, async () => {
      const { cookie, hash } = drawSession();
      const expiresAt = new Date(Date.now() + SESSION_LIFE_MS).toISOString();
      await desk.sessions.begin({ hash, key: ref, person: by, expiresAt });
      const headers = { 'set-cookie': cookieOf(context, cookie, SESSION_LIFE_MS / 1_000) };
      return Response.json(shown(caller, deps), { status: 201, headers });
    });
  });
  app.delete(SESSION_PATH, async (context) => {
    const cookie = cookieIn(context.req.raw);
    if (cookie !== undefined) {
      assertOwnPage(context.req.raw);
      await desk.sessions.end(digest(cookie).toString('hex'));
    }
    return new Response(null, { status: 204, headers: { 'set-cookie': cookieOf(context, '', 0) } });
  });
}

/** @throws {ProblemError} */
async function signInOf(request: Request): Promise<z.infer<typeof SignIn>> {
  const body = await readJson(request);
  assertStorable(body);
  const parsed = SignIn.safeParse(body);
  if (!parsed.success) throw invalidInput(parsed.error);
  return parsed.data;
}

/** Behind a proxy that speaks TLS, the proxy says so. */
function cookieOf(context: Context, value: string, seconds: number): string {
  const proxied = context.req.header('x-forwarded-proto')?.split(',')[0]?.trim();
  const secure = (proxied ?? new URL(context.req.url).protocol.replace(':', '')) === 'https';
  return `${SESSION_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure ? '; Secure' : ''}`;
}

function shown(
  caller: Caller,
  { tenants, keys, temporalWeb }: Pick<Deps, 'tenants' | 'keys' | 'temporalWeb'>,
): Session {
  return {
    key: caller.name,
    person: caller.person,
    actor: actorOf(caller, undefined),
    role: caller.role,
    tenants: tenants
      .list()
      .filter(({ id }) => caller.tenant === '*' || caller.tenant === id)
      .map(({ id, name, timeZone }) => ({ id, name, timeZone })),
    signInNeeded: keys.length > 0,
    temporalWeb: caller.panel === null ? temporalWeb : null,
    panel: caller.panel === null ? null : { ...caller.panel, acts: [...caller.panel.acts] },
  };
}

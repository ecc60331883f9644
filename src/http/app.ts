/** The whole outside, as one function of what it needs. */
import { Hono, type Context } from 'hono';
import { randomUUID } from 'node:crypto';
import { ANSWERING_SLOT, BUSINESS, parseRunName, parseSubject, parseTenantId } from '../domain/ids.ts';
import { assertLocal } from './auth.ts';
import { createAuthenticate, type Authenticate } from './authenticators.ts';
import { consoleRoutes } from './console.ts';
import type { HttpDeps } from './deps.ts';
import { knownProblem } from './faults.ts';
import { openApiOf } from './openapi.ts';
import { invalidField, ProblemError, problemResponse } from './problems.ts';
import { Routes } from './route.ts';
import { bulkRoutes } from './routes/bulk.ts';
import { channelsRoute } from './routes/channels.ts';
import { decideRoutes } from './routes/decide.ts';
import { eventRoutes } from './routes/events.ts';
import { embedRoutes } from './routes/embed.ts';
import { agentRoutes } from './routes/agents.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { outcomeRoutes } from './routes/outcomes.ts';
import { docsRoutes } from './routes/docs.ts';
import { HEALTH_ROUTES, healthRoutes } from './routes/health.ts';
import { auditRoute } from './routes/audit.ts';
import { keyRoutes } from './routes/keys.ts';
import { SESSION_ROUTES, sessionRoutes } from './routes/session.ts';
import { mediaRoute } from './routes/media.ts';
import { runListRoutes } from './routes/run-lists.ts';
import { ACTS, runRoutes } from './routes/runs.ts';
import { streamRoute } from './routes/stream.ts';
import { switchRoutes } from './routes/switches.ts';
import { investigationRoutes } from './routes/investigations.ts';
import { outboxRoutes } from './routes/outbox.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { InvestigationService } from './investigation-service.ts';
import { RunActs } from './run-acts.ts';
import { RunStops } from './run-stops.ts';
import { RunService } from './run-service.ts';

export function createApp(deps: HttpDeps): Hono {
  const app = new Hono();
  app.onError((error) => answerFault(error, deps));
  app.use(async (context, next) => {
    assertPlainPath(context);
    await next();
  });
  healthRoutes(app, deps);
  webhookRoutes(app, deps);

  const authenticate = createAuthenticate(deps);
  const routes = new Routes(app, { ...deps, authenticate });
  sessionRoutes(app, { ...deps, authenticate });
  keyRoutes(routes, deps);
  auditRoute(routes, deps);
  const service = new RunService(deps);
  runListRoutes(routes, service, deps.desk);
  runRoutes(routes, service, { acts: new RunActs(deps, service), stops: new RunStops(deps, service), desk: deps.desk });
  eventRoutes(routes, deps);
  switchRoutes(routes, deps);
  channelsRoute(routes, deps);
  mediaRoute(routes, deps);
  outboxRoutes(routes, deps);
  bulkRoutes(routes, deps);
  const investigations = new InvestigationService(deps);
  investigationRoutes(routes, investigations);
  decideRoutes(app, deps, investigations);
  streamRoute(routes, { ...deps, authenticate });

  outcomeRoutes(routes, deps);
  agentRoutes(routes, deps);
  conversationRoutes(routes, deps);
  embedRoutes(app, routes, deps);

  let document: ReturnType<typeof openApiOf> | undefined;
  const described = () => (document ??= openApiOf(routes.specs, [...HEALTH_ROUTES, ...SESSION_ROUTES], '1'));
  app.get('/openapi.json', (context) => {
    if (deps.keys.length === 0) assertLocal(context.req.raw);
    return context.json(described());
  });
  docsRoutes(app, described);
  consoleRoutes(app, deps.console);
  app.notFound(async (context) => answerFault(await nothingAt(context, authenticate, methodsOf(app)), deps));
  return app;
}

/** Nothing below may answer 500 but a defect of ours, and that one says where to find it in the log. */
function answerFault(error: unknown, { log }: Pick<HttpDeps, 'log'>): Response {
  const known = knownProblem(error);
  if (known !== undefined) {
    if (known.cause !== undefined)
      log.warn(
        { code: known.code, cause: known.cause instanceof Error ? known.cause.message : 'unknown' },
        known.message,
      );
    return problemResponse(known);
  }
  const id = randomUUID();
  log.error(
    { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
    'a request failed by a defect of ours',
  );
  return problemResponse(new ProblemError('internal', `logged as ${id}`));
}

/** `..` in a path is taken out before routing, by clients and servers alike: the raw path still shows it. */
function assertPlainPath(context: Context): void {
  const raw = rawPath(context);
  if (!/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(raw)) return;
  throw explain(raw) ?? invalidField('path', 'must not hold the segments . and ..');
}

function rawPath(context: Context): string {
  const env = context.env as { incoming?: { url?: string } } | undefined;
  return (env?.incoming?.url ?? new URL(context.req.url).pathname).split('?')[0] ?? '';
}

/** Which id in the path is outside the grammar. A path may look unknown only because an id in it holds a slash. */
function explain(path: string): ProblemError | undefined {
  const [, v1, tenants, tenant = '', place, ...rest] = path.split('/').map(decoded);
  if (v1 !== 'v1' || tenants !== 'tenants') return undefined;
  try {
    parseTenantId(tenant);
    if (place !== 'runs' || rest.length === 0) return undefined;
    const ofRun = explainRun(tenant, rest);
    if (ofRun !== undefined) return ofRun;
    const acted = RUN_PARTS.includes(rest.at(-1) ?? '') && rest.length > 2;
    parseRunName([tenant, ...(acted ? rest.slice(0, -1) : rest)].join('/'));
    return undefined;
  } catch (error) {
    return knownProblem(error);
  }
}

const RUN_PARTS = ['timeline', ...ACTS];

/** A run's path that lacks its slot, or asks for what runs do not have. */
function explainRun(tenant: string, rest: readonly string[]): ProblemError | undefined {
  const before = rest[0] === BUSINESS ? 1 : 2;
  const subject = rest.slice(0, before).join('/');
  const [slot = '', what] = rest.slice(before);
  if (rest[0] !== BUSINESS && rest[0] !== 'conversation') return undefined;
  parseSubject(subject);
  if (slot === '' || (RUN_PARTS.includes(slot) && what === undefined))
    return new ProblemError(
      'no_such_route',
      `the slot is missing: /runs/${subject}/{slot}${slot === '' ? '' : `/${slot}`}, such as /runs/${subject}/${ANSWERING_SLOT}`,
    );
  if (what === undefined || rest.length > before + 2 || what === ANSWERING_SLOT || RUN_PARTS.includes(what))
    return undefined;
  parseRunName([tenant, subject, slot].join('/'));
  return new ProblemError(
    'no_such_route',
    `${what.slice(0, 60)} is nothing a run has; POST takes ${ACTS.join(', ')}, and GET timeline`,
  );
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

interface Methods {
  readonly method: string;
  readonly pattern: RegExp;
}

function methodsOf(app: Hono): readonly Methods[] {
  return app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => ({ method, pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`) }));
}

/** @throws {ProblemError} to whom the API may not be explained. */
async function nothingAt(context: Context, authenticate: Authenticate, methods: readonly Methods[]): Promise<Error> {
  const { pathname } = new URL(context.req.url);
  if (pathname.startsWith('/v1/')) await authenticate(context.req.raw);
  const explained = explain(rawPath(context));
  if (explained !== undefined) return explained;
  const others = methods.filter(({ pattern }) => pattern.test(pathname)).map(({ method }) => method);
  if (others.length > 0)
    return new ProblemError(
      'method_not_allowed',
      `${context.req.method} is not for ${pathname.slice(0, 200)}; ${[...new Set(others)].join(', ')} is`,
    );
  return new ProblemError(
    'no_such_route',
    `nothing is at ${pathname.slice(0, 200)}; the API is described at /docs/api`,
  );
}

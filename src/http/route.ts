/**
 * One way to declare a route: its role, what it takes and what it answers. From the declaration come the checks, in
 * one order (who asks, which tenant, may they, is it well formed, does it fit), and the OpenAPI document.
 */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { parseTenantId, type TenantId } from '../domain/ids.ts';
import type { Role } from '../domain/roles.ts';
import { actOf, audited, wordIn } from './audited.ts';
import { actorOf, authorize, type Caller } from './auth.ts';
import type { Authenticate } from './authenticators.ts';
import { assertShallow, assertStorable, readJson } from './bodies.ts';
import type { HttpDeps } from './deps.ts';
import { invalidInput } from './faults.ts';
import { ProblemError } from './problems.ts';
import { once, unlessKnown } from './repeats.ts';

export type Method = 'get' | 'post' | 'put' | 'delete';

export interface RouteSpec<Query = unknown, Body = unknown> {
  readonly method: Method;
  /** Under `/v1/tenants/:tenant`, in Hono's notation. */
  readonly path: string;
  readonly role: Role;
  readonly summary: string;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** `optional`: no body means `{}`. `unchecked`: nested within reason, and the handler checks the text of each item by itself. */
  readonly bodyIs?: 'required' | 'optional' | 'unchecked';
  /** Status → what is answered: a schema, or words where the answer is no JSON. Problems come on top. */
  readonly answers: Readonly<Record<number, z.ZodType | string>>;
  /** Its 200 comes as CSV too, to whoever asks for that. */
  readonly csv?: true;
  /** What the audit calls it, where its path does not say; false: no act, such as telling facts. GETs are none. */
  readonly act?: string | false;
  /** What the audit says it was done to, where the path does not say. */
  target?(body: Body): string;
  /** Its answer holds a secret: it is not kept for a repeat. */
  readonly secret?: true;
  /** Its answer goes on, or costs others something: a HEAD is told that it may have it, without any of it. */
  readonly goesOn?: true;
  /** Shows an embedded panel what is of its conversation, and nothing else, though no conversation is in the path. */
  readonly panel?: true;
}

export interface Asked<Query, Body> {
  readonly tenant: TenantId;
  readonly caller: Caller;
  /** `key name/by`, with the body's `by`. */
  readonly actor: (by?: string) => string;
  /** A path parameter, decoded; empty when the route has none of this name. */
  readonly param: (name: string) => string;
  readonly query: Query;
  readonly body: Body;
  readonly context: Context;
}

export const TENANT_PATH = '/v1/tenants/:tenant';

export type RoutesDeps = Pick<HttpDeps, 'tenants' | 'desk' | 'log'> & { readonly authenticate: Authenticate };

export class Routes {
  readonly specs: RouteSpec[] = [];
  private readonly app: Hono;
  private readonly deps: RoutesDeps;

  constructor(app: Hono, deps: RoutesDeps) {
    this.app = app;
    this.deps = deps;
  }

  add<Query = undefined, Body = undefined>(
    spec: RouteSpec<Query, Body>,
    handle: (asked: Asked<Query, Body>) => Promise<Response> | Response,
  ): void {
    this.specs.push(spec);
    this.app.on(spec.method.toUpperCase(), `${TENANT_PATH}${spec.path}`, async (context) => {
      const asked = await this.read(spec, context);
      const request = context.req.raw;
      if (spec.goesOn === true && request.method === 'HEAD') return new Response(null);
      if (spec.method === 'get') return unlessKnown(request, await handle(asked));
      const { tenant, body } = asked;
      const execute = async () => this.audit(spec, asked, async () => handle(asked));
      return once({ tenant, request, body, secret: spec.secret ?? false }, this.deps.desk, execute);
    });
  }

  /** Who asks, which tenant, may they, is it well formed, does it fit: in this order. @throws {ProblemError} */
  private async read<Query, Body>(spec: RouteSpec<Query, Body>, context: Context): Promise<Asked<Query, Body>> {
    const request = context.req.raw;
    const caller = await this.deps.authenticate(request);
    const params = context.req.param() as Record<string, string>;
    const tenant = parseTenantId(params['tenant'] ?? '');
    authorize(caller, {
      role: spec.role,
      tenant,
      conversation: this.conversationIn(spec, params, caller),
      act: actIn(spec),
    });
    if (!this.deps.tenants.has(tenant))
      throw new ProblemError('tenant_not_found', `${tenant} is not in attache.config.json; add it under tenants`);
    const given = presentOf(context.req.query());
    assertStorable({ ...params, ...given });
    const query = checked(spec.query, given);
    const body = spec.body === undefined ? undefined : await this.readBody(request, spec);
    return {
      tenant,
      caller,
      actor: (by) => actorOf(caller, by),
      param: (name) => params[name] ?? '',
      query: query as Query,
      body: body as Body,
      context,
    };
  }

  /** What a route without a conversation in its path shows of one alone is its own affair. */
  private conversationIn(
    { panel }: RouteSpec,
    params: Readonly<Record<string, string>>,
    caller: Caller,
  ): string | undefined {
    return panel === true ? caller.panel?.conversation : params['conversation'];
  }

  private async audit<Query, Body>(
    spec: RouteSpec<Query, Body>,
    { tenant, actor, body, param }: Asked<Query, Body>,
    handle: () => Promise<Response>,
  ): Promise<Response> {
    if (spec.act === false) return handle();
    const act = actOf({ ...spec, act: spec.act }, param, body);
    if (spec.target !== undefined) act.target = spec.target(body);
    return audited({ tenant, actor: actor(wordIn(body, 'by')), body, ...act }, this.deps, handle);
  }

  private async readBody(request: Request, { body: schema, bodyIs = 'required' }: RouteSpec): Promise<unknown> {
    const body = (await readJson(request, { optional: bodyIs === 'optional' })) ?? {};
    if (bodyIs === 'unchecked') assertShallow(body);
    else assertStorable(body);
    return checked(schema, body);
  }
}

/** What a panel must be allowed to do by name. */
function actIn({ method, path }: Pick<RouteSpec, 'method' | 'path'>): string | undefined {
  return method === 'get' ? undefined : (path.split('/').at(-1) ?? '');
}

/** `?status=` is as good as no status. */
function presentOf(query: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}

/** @throws {ProblemError} `invalid`, naming every field. */
function checked(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalidInput(parsed.error);
  return parsed.data;
}

/** Who asks and why, where an act takes nothing else. */
export const Asker = z.strictObject({ by: z.string().max(200).optional(), reason: z.string().max(1_000).optional() });

/** What every list takes: `limit` 1 to 200, 50 by default. */
export const PageQuery = {
  limit: z.coerce.number().pipe(z.int().min(1).max(200)).default(50),
  cursor: z.string().max(1_000).optional(),
};

/** What a list takes whose items have long ids: those that begin so. */
export const Beginning = { beginning: z.string().min(4).max(512).optional() };

export function pageOf(item: z.ZodType): z.ZodType {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}

/** The fields that have a value. */
export function present<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]: Exclude<Fields[Key], undefined>;
  };
}

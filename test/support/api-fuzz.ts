/** Any requests that the OpenAPI document describes, by anybody, in any order; and what no answer to them may be. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { TenantId } from '../../src/domain/ids.ts';
import { allows, ROLES, type Role } from '../../src/domain/roles.ts';
import { Investigation } from '../../src/domain/schemas/investigations.ts';
import { createIntake } from '../../src/intake/intake.ts';
import type { IntakeDeps } from '../../src/intake/deps.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { testApi, type TestApi } from './api.ts';
import { openTestDesk } from './desk.ts';
import { namedValueOf, valueOf, type JsonSchema, type Words } from './from-schema.ts';
import { mutated } from './strange-bodies.ts';

const TENANTS = ['demo', 'acme'] as const;
type Tenant = (typeof TENANTS)[number];

interface Caller {
  /** Null: nobody known. */
  readonly role: Role | null;
  readonly tenant: Tenant;
  readonly secret: string | null;
}
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly 'x-role'?: Role;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: JsonSchema }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: JsonSchema } } };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>> }>
  >;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, 'method' | 'path'>>>>>;
  readonly components: { readonly schemas: { readonly Problem: JsonSchema } };
}
interface Request {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly tenant: Tenant;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface Fuzzed {
  readonly requests: number;
  /** How many were answered by each status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Operations that never succeeded, with a refusal. */
  readonly neverDone: readonly string[];
  readonly violations: readonly string[];
}

/** Names that only this tenant's callers and records carry. */
const mark = (tenant: string) => `only-${tenant}`;
const CALLERS: readonly Caller[] = [
  ...TENANTS.flatMap((tenant) =>
    ROLES.map((role) => ({ role, tenant, secret: `${mark(tenant)}-${role}-secret-of-some-length` })),
  ),
  { role: null, tenant: 'demo', secret: null },
  { role: null, tenant: 'acme', secret: 'nobody-has-this-secret' },
];

const ADMINS = CALLERS.filter(({ role }) => role === 'admin');

/** Placeholders: the id of something that exists, whosever it is; one that is found under this name; the caller's own mark. */
const ID = /(?<=["/=])@(?:([a-z]+)\.)?(\d+)(?=["/?&]|$)/g;
const MARK = '@mark';
/** And the caller's own secret: to sign in with another's is to be that other. */
const SECRET = '@secret';
const somebodysId = fc.nat({ max: 999 }).map((n) => `@${n}`);
const nasty = fc.oneof(
  fc.constantFrom(
    ' ',
    '..',
    '\u0000',
    '\ud800',
    '😀',
    "' or 1=1 --",
    'a/b',
    '-1',
    '1e400',
    'x'.repeat(300),
    '__proto__',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const KNOWN = [
  'conversation/1',
  'conversation/2',
  'business',
  'topic/stock',
  'qualifier',
  'watcher',
  'answering',
  '1h',
  '1',
  '2',
];
const words: Words = {
  any: fc.oneof(
    { weight: 8, arbitrary: fc.constant(MARK) },
    { weight: 3, arbitrary: somebodysId },
    { weight: 3, arbitrary: fc.constantFrom(...KNOWN) },
    { weight: 1, arbitrary: nasty },
  ),
  known: [...KNOWN, ...[1, 2, 3].map((n) => `name-${n}`)],
  usual: {
    ...{ agent: ['qualifier', 'watcher'], subject: ['conversation/1', 'conversation/4', 'conversation/5', 'business'] },
    ...{ slot: ['answering', 'watcher'], conversation: ['1', '2'], name: ['name-1', 'name-2', 'name-3'] },
    ...{ dueWithin: ['1h'], for: ['90s', '2d'], overlap: ['1h'], ttl: ['5m'], origin: ['https://crm.example'] },
    ...{
      id: ['@0', '@1'],
      key: [SECRET],
      unitCost: ['1'],
      deliverOn: ['2026-12-01'],
    },
  },
};
const IN_PATH: Readonly<Record<string, readonly string[]>> = {
  conversation: ['1', '2', '3'],
  slot: ['answering', 'answering', 'watcher'],
  scope: ['tenant', 'agent', 'channel'],
  key: ['*', 'qualifier', 'simulated'],
  investigation: TENANTS.map((tenant) => `inv-${tenant}`),
  endpoint: ['crm'],
  event: ['first-1'],
};

/** What the parameter is called that names one of a collection. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ keys: 'key', bulk: 'bulk', deliveries: 'delivery', events: 'event', messages: 'message' },
  ...{ investigations: 'investigation', conversations: 'conversation' },
};

/** @param rounds how often each operation is asked, in a new order each time. @throws nothing: what is wrong is told. */
export async function fuzzApi({ rounds, seed }: { rounds: number; seed: number }): Promise<Fuzzed> {
  const opened = await openTestDesk('PGlite', { subscribers: () => ['crm'] });
  try {
    const api = overDesk(opened.desk);
    const described = (await (await api.ask('/openapi.json')).json()) as Document;
    const operations = Object.entries(described.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]): Operation => ({ ...one, method: method.toUpperCase(), path })),
    );
    await populate(api, opened.desk);
    const judge = new Judge(described.components.schemas.Problem, api);
    const round = fc.tuple(
      fc.shuffledSubarray([...operations.keys()], { minLength: operations.length }),
      fc.tuple(...operations.map(requestOf)),
    );
    for (const [order, requests] of fc.sample(round, { numRuns: rounds, seed }))
      for (const at of order) await judge.ask(requests[at] as Request);
    return judge.verdict(operations);
  } finally {
    await opened.close();
  }
}

function requestOf(operation: Operation): fc.Arbitrary<Request> {
  const { parameters = [], requestBody } = operation;
  const own = { ...operation };
  const inPath = parameters.filter((one) => one.in === 'path' && one.name !== 'tenant');
  const places = fc.record(Object.fromEntries(inPath.map(({ name }) => [name, placeOf(name)])));
  const query = queryOf(parameters.filter((one) => one.in === 'query'));
  const schema = requestBody?.content['application/json'].schema;
  const body = schema === undefined ? fc.constant(undefined) : bodyOf(valueOf(schema, words));
  return fc
    .record({
      caller: fc.oneof(
        { weight: 1, arbitrary: fc.constantFrom(...CALLERS) },
        { weight: 2, arbitrary: fc.constantFrom(...ADMINS) },
      ),
      elsewhere: fc.nat({ max: 9 }),
      places,
      query,
      body,
      key: fc.oneof(
        { weight: 15, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.constantFrom('k1', 'k2') },
      ),
    })
    .map(({ caller, elsewhere, places: at, query: asked, body: sent, key }): Request => {
      const tenant = elsewhere === 0 ? (caller.tenant === 'demo' ? 'acme' : 'demo') : caller.tenant;
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
        name === 'tenant' ? tenant : (at[name] ?? ''),
      );
      const search = new URLSearchParams(
        Object.entries(asked).map(([name, value]): [string, string] => [name, wellFormed(String(value))]),
      ).toString();
      const headers = {
        ...(caller.secret === null ? {} : { authorization: `Bearer ${caller.secret}` }),
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === null || operation.method === 'GET' ? {} : { 'idempotency-key': key }),
      };
      const text = sent === undefined ? undefined : JSON.stringify(sent);
      return { operation: own, caller, tenant, path: search === '' ? path : `${path}?${search}`, headers, body: text };
    });
}

/** Two at most: of many, one would nearly always be wrong. */
function queryOf(parameters: NonNullable<Operation['parameters']>): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .subarray([...parameters], { maxLength: Math.min(2, parameters.length) })
    .chain((chosen) =>
      fc.record(
        Object.fromEntries(
          chosen.map(({ name, schema }) => [
            name,
            fc.oneof({ weight: 9, arbitrary: namedValueOf(name, schema, words) }, { weight: 1, arbitrary: nasty }),
          ]),
        ),
      ),
    );
}

function bodyOf(valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 4, arbitrary: valid }, { weight: 1, arbitrary: valid.chain(mutated) });
}

function placeOf(name: string): fc.Arbitrary<string> {
  const known = IN_PATH[name];
  return fc.oneof(
    ...(known === undefined ? [] : [{ weight: 12, arbitrary: fc.constantFrom(...known) }]),
    { weight: 6, arbitrary: fc.nat({ max: 999 }).map((n) => `@${name}.${n}`) },
    { weight: 2, arbitrary: somebodysId },
    { weight: 1, arbitrary: nasty.map((text) => encodeURIComponent(wellFormed(text))) },
  );
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '?');
}

/** Asks, and keeps what was wrong with the answers. */
class Judge {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false });
  private readonly compiled = new Map<string, ValidateFunction>();
  private readonly problem: JsonSchema;
  private readonly api: TestApi;
  /** Ids the server gave to somebody's things, by the collection they are in. */
  private readonly ids: { readonly id: string; readonly kind: string }[] = [{ id: '1', kind: 'conversation' }];
  private readonly statuses: Record<string, number> = {};
  private readonly done = new Set<string>();
  /** By operation: how somebody who may do it was refused last. */
  private readonly refused = new Map<string, string>();
  private readonly violations: string[] = [];
  private requests = 0;

  constructor(problem: JsonSchema, api: TestApi) {
    this.problem = problem;
    this.api = api;
  }

  async ask(request: Request): Promise<void> {
    const { operation, caller } = request;
    const fill = (text: string) =>
      text
        .replace(ID, (_, kind: string | undefined, n: string) => this.idOf(kind, Number(n)))
        .replaceAll(MARK, mark(caller.tenant))
        .replaceAll(SECRET, caller.secret ?? 'none')
        .replaceAll(encodeURIComponent(MARK), mark(caller.tenant));
    const path = fill(request.path.replaceAll('%40', '@'));
    const body = request.body === undefined ? undefined : fill(request.body);
    const init = { method: operation.method, headers: request.headers, ...(body === undefined ? {} : { body }) };
    this.requests += 1;
    const response = await this.api.ask(path, init);
    const { status } = response;
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    const type = response.headers.get('content-type') ?? '';
    const text = type.includes('json') ? await response.text() : '';
    if (!type.includes('json')) await response.body?.cancel();
    const wrong = this.wrongWith({ request, status, type, text });
    if (wrong === null) {
      if (status < 300) this.keep(operation, text);
      else if (status !== 401 && status !== 403) this.refused.set(nameOf(operation), `${path} ${body ?? ''}: ${text}`);
      return;
    }
    const told = `${operation.method} ${path.slice(0, 300)} ${body?.slice(0, 400) ?? ''}`;
    this.violations.push(
      `${wrong}\n  ${caller.role ?? 'nobody'} of ${caller.tenant}: ${told}\n  ${status} ${text.slice(0, 400)}`,
    );
  }

  verdict(operations: readonly Operation[]): Fuzzed {
    const { requests, statuses, violations } = this;
    const names = operations.map(nameOf).filter((name) => !this.done.has(name));
    const neverDone = names.map((name) => `${name} ${this.refused.get(name)?.slice(0, 400) ?? ''}`);
    return { requests, statuses, neverDone, violations };
  }

  private wrongWith(answer: { request: Request; status: number; type: string; text: string }): string | null {
    const { request, status, type, text } = answer;
    const { operation, caller, tenant } = request;
    if (status === 500) return `500: ${this.api.logged.at(-1) ?? ''}`;
    const foreign = TENANTS.find((one) => one !== caller.tenant) as Tenant;
    if (text.includes(mark(foreign))) return `a record of ${foreign}`;
    const role = operation['x-role'];
    if (role !== undefined) {
      const expected = caller.role === null ? 401 : tenant === caller.tenant && allows(caller.role, role) ? null : 403;
      // A path that holds nonsense may be refused, or lead nowhere, before anybody is asked who they are.
      if (expected !== null && status !== expected && status < 400) return `beyond the role: it needs ${role}`;
      if (expected === null && (status === 401 || status === 403)) return `refused to a ${String(caller.role)}`;
    }
    if (type.startsWith('application/problem+json')) return this.unlike(this.problem, text);
    const declared = operation.responses[status];
    if (declared === undefined) return `status ${status} is not declared`;
    if (declared.content === undefined) return null;
    const schema = declared.content[type.split(';')[0] ?? '']?.schema;
    if (schema === undefined) return `comes as ${type}`;
    if (!type.includes('json')) return null;
    const elsewhere = [...text.matchAll(/"tenant":"([^"]*)"/g)].find(([, named]) => named !== tenant);
    return elsewhere === undefined ? this.unlike(schema, text) : `speaks of the tenant ${elsewhere[1] ?? ''}`;
  }

  private unlike(schema: JsonSchema, text: string): string | null {
    const key = JSON.stringify(schema);
    const fits = this.compiled.get(key) ?? this.ajv.compile(schema);
    this.compiled.set(key, fits);
    return fits(JSON.parse(text)) ? null : `outside its schema: ${this.ajv.errorsText(fits.errors).slice(0, 400)}`;
  }

  private idOf(kind: string | undefined, n: number): string {
    const fitting = kind === undefined ? this.ids : this.ids.filter((one) => one.kind === kind);
    return fitting[n % fitting.length]?.id ?? 'nothing';
  }

  private keep(operation: Operation, text: string): void {
    this.done.add(nameOf(operation));
    const kind = KINDS[operation.path.split('/').findLast((part) => part in KINDS) ?? ''] ?? '';
    for (const [, id = ''] of text.matchAll(/"(?:id|key)":"([\w.:~-]{1,100})"/g))
      if (!id.includes(mark('')) && !this.ids.some((one) => one.id === id)) this.ids.push({ id, kind });
  }
}

function nameOf({ method, path }: Operation): string {
  return `${method} ${path}`;
}

function overDesk(desk: IntakeDeps['desk'] & TestApi['deps']['desk']): TestApi {
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  // No Temporal: what cannot be delivered stays stored, which is the intake's own affair.
  const client = {
    workflow: {
      getHandle: () => {
        throw new Error('no Temporal here');
      },
    },
  } as unknown as IntakeDeps['client'];
  const none = { get: () => undefined, list: () => [] };
  const metrics = createMetrics();
  const intake = createIntake({ desk, client, agents: none, autoAttach: () => [], metrics, log: quiet });
  const keys = CALLERS.flatMap(({ role, tenant, secret }) =>
    role === null || secret === null
      ? []
      : [{ name: `${mark(tenant)}-${role}`, role, tenant: tenant as TenantId, secret }],
  );
  return testApi({
    ...{ desk, intake, keys },
    fanOuts: { act: async (order) => desk.fanOuts.begin(order) },
    webhookEndpoints: (tenant) => [{ id: 'crm', url: `https://crm.example/${tenant}` }],
    embedOrigin: () => 'https://crm.example',
  });
}

/** Something of each tenant's to find, told under its mark. */
async function populate(api: TestApi, desk: TestApi['deps']['desk']): Promise<void> {
  const time = new Date(Date.now() - 60_000).toISOString();
  for (const tenant of TENANTS) {
    const admin = ADMINS.find((one) => one.tenant === tenant);
    const post = async (path: string, body: object) => {
      const authorization = `Bearer ${admin?.secret ?? ''}`;
      const answer = await api.send('POST', `/v1/tenants/${tenant}${path}`, body, { authorization });
      if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    };
    const by = mark(tenant);
    for (const id of ['1', '2']) {
      const data = { content: { kind: 'text', text: by }, contact: { address: by, name: by } };
      await post('/events', { id: `first-${id}`, type: 'message.inbound', subject: `conversation/${id}`, time, data });
      await post('/runs', { agent: 'qualifier', subject: `conversation/${id}`, by });
    }
    await post('/runs', { agent: 'watcher', subject: 'business', by });
    await post('/keys', { name: by, role: 'viewer' });
    await post('/bulk', { action: 'pause', filter: {}, by });
    const view = Investigation.parse({
      ...{ id: `inv-${tenant}`, tenant, agent: 'watcher', signature: by, status: 'dismissed', occurrences: 1 },
      ...{ summary: by, reason: null, openedAt: time, updatedAt: time, endedAt: time, decisions: [], results: [] },
      ...{
        workflowId: `investigation/${tenant}/watcher/x`,
        proposal: null,
        trigger: {},
        verification: null,
        asked: null,
      },
      openedBy: { subject: 'business', slot: 'watcher', id: 'a' },
    });
    await desk.investigations.record({ view, version: 1, tell: [] });
  }
}

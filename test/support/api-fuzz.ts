/** Any requests that the OpenAPI document describes, by anybody, in any order; and what no answer to them may be. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { TenantId } from '../../src/domain/ids.ts';
import { allows } from '../../src/domain/roles.ts';
import { Investigation } from '../../src/domain/schemas/investigations.ts';
import { createHandBacks } from '../../src/intake/hand-back.ts';
import { createIntake } from '../../src/intake/intake.ts';
import type { InvestigationName } from '../../src/client/investigation-client.ts';
import type { RunName } from '../../src/client.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { recordFromSummary } from '../../src/http/run-views.ts';
import { testApi, type TestApi } from './api.ts';
import { intakeDeps, SILENT } from './given.ts';
import {
  ADMINS,
  CALLERS,
  ID,
  mark,
  MARK,
  requestOf,
  SECRET,
  TENANTS,
  type Operation,
  type Request,
  type Tenant,
} from './api-requests.ts';
import { openTestDesk } from './desk.ts';
import { FakeRuns } from './fake-runs.ts';
import type { JsonSchema } from './from-schema.ts';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, 'method' | 'path'>>>>>;
  readonly components: { readonly schemas: { readonly Problem: JsonSchema } };
}
export interface Fuzzed {
  readonly requests: number;
  /** How many were answered by each status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Operations that never succeeded, with a refusal. */
  readonly neverDone: readonly string[];
  readonly violations: readonly string[];
}

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

function overDesk(desk: TestApi['deps']['desk']): TestApi {
  const intake = createIntake(intakeDeps(desk));
  const keys = CALLERS.flatMap(({ role, tenant, secret }) =>
    role === null || secret === null
      ? []
      : [{ name: `${mark(tenant)}-${role}`, role, tenant: tenant as TenantId, secret }],
  );
  const runs = new KeptRuns(desk);
  return testApi({
    ...{ desk, intake, keys, runs },
    handBacks: createHandBacks({ desk, attach: async (asked) => runs.attach(asked), automatic: [], log: SILENT }),
    investigations: { decide: async (name) => taken(desk, name), answer: async (name) => taken(desk, name) },
    channelsOf: () => [{ key: 'simulated', kind: 'simulated', openMedia: async () => PICTURE() }],
    channelFor: () => 'simulated',
    fanOuts: { act: async (order) => desk.fanOuts.begin(order) },
    webhookEndpoints: (tenant) => [{ id: 'crm', url: `https://crm.example/${tenant}` }],
    embedOrigin: () => 'https://crm.example',
  });
}

/** A worker writes the end of a run into the desk; here is none. */
class KeptRuns extends FakeRuns {
  private readonly desk: TestApi['deps']['desk'];

  constructor(desk: TestApi['deps']['desk']) {
    super();
    this.desk = desk;
  }

  override async detach(...asked: Parameters<FakeRuns['detach']>): ReturnType<FakeRuns['detach']> {
    return this.kept(asked[0], await super.detach(...asked));
  }

  override async takeOver(...asked: Parameters<FakeRuns['takeOver']>): ReturnType<FakeRuns['takeOver']> {
    return this.kept(asked[0], await super.takeOver(...asked));
  }

  private async kept<Answer>(name: RunName, answer: Answer): Promise<Answer> {
    const { config, ...run } = await this.view(name);
    const record = recordFromSummary(run, { config: config as JsonObject, topics: [] });
    if (run.endedAt !== null) await this.desk.runs.recordEnd({ run: record, unhandled: [] });
    return answer;
  }
}

/** An investigation takes whatever it is told. */
async function taken(desk: TestApi['deps']['desk'], { workflowId, id }: InvestigationName) {
  const [, tenant = ''] = workflowId.split('/');
  const investigation = await desk.investigations.get(tenant as TenantId, id);
  return investigation === null ? { result: 'over' as const } : { result: 'taken' as const, investigation };
}

const PICTURE = () => ({ mimeType: 'image/png', size: 3, body: new Blob(['png']).stream() });

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
    const content = { kind: 'media', media: 'image', mediaId: 'file-1', caption: by };
    const sent = { content, contact: { address: by, name: by }, providerId: `picture-${tenant}` };
    await post('/events', { id: 'picture', type: 'message.inbound', subject: 'conversation/1', time, data: sent });
    await post('/runs', { agent: 'watcher', subject: 'business', by });
    await post('/keys', { name: by, role: 'viewer' });
    await post('/bulk', { action: 'pause', filter: {}, by });
    const view = Investigation.parse({
      ...{ id: `inv-${tenant}`, tenant, agent: 'watcher', signature: by, status: 'proposed', occurrences: 1 },
      ...{ summary: by, reason: null, openedAt: time, updatedAt: time, endedAt: null, decisions: [], results: [] },
      ...{
        workflowId: `investigation/${tenant}/watcher/x`,
        proposal: null,
        trigger: {},
        verification: null,
        asked: null,
      },
      openedBy: { subject: 'business', slot: 'watcher', id: 'a' },
    });
    await desk.investigations.record({ view, version: 1, tell: [], counted: [] });
  }
}

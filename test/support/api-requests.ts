/** Any request that an operation of the OpenAPI document may be sent, by anybody. */
import fc from 'fast-check';
import { ROLES, type Role } from '../../src/domain/roles.ts';
import { namedValueOf, valueOf, type JsonSchema, type Words } from './from-schema.ts';
import { mutated } from './strange-bodies.ts';

export const TENANTS = ['demo', 'acme'] as const;
export type Tenant = (typeof TENANTS)[number];

export interface Caller {
  /** Null: nobody known. */
  readonly role: Role | null;
  readonly tenant: Tenant;
  readonly secret: string | null;
}
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly 'x-role'?: Role;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: JsonSchema }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: JsonSchema } } };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>> }>
  >;
}
export interface Request {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly tenant: Tenant;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Names that only this tenant's callers and records carry. */
export const mark = (tenant: string) => `only-${tenant}`;
export const CALLERS: readonly Caller[] = [
  ...TENANTS.flatMap((tenant) =>
    ROLES.map((role) => ({ role, tenant, secret: `${mark(tenant)}-${role}-secret-of-some-length` })),
  ),
  { role: null, tenant: 'demo', secret: null },
  { role: null, tenant: 'acme', secret: 'nobody-has-this-secret' },
];

export const ADMINS = CALLERS.filter(({ role }) => role === 'admin');

/** Placeholders: the id of something that exists, whosever it is; one that is found under this name; the caller's own mark. */
export const ID = /(?<=["/=])@(?:([a-z]+)\.)?(\d+)(?=["/?&]|$)/g;
export const MARK = '@mark';
/** And the caller's own secret: to sign in with another's is to be that other. */
export const SECRET = '@secret';
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

export function requestOf(operation: Operation): fc.Arbitrary<Request> {
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

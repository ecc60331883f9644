/** The API's description, OpenAPI 3.1, made from the routes' own declarations: zod writes the JSON Schema. */
import { z } from 'zod';
import { JsonValue } from '../domain/schemas/values.ts';
import { PROBLEMS } from './problems.ts';
import { TENANT_PATH, type Method, type RouteSpec } from './route.ts';
import { SESSION_COOKIE } from './secrets.ts';

type Schema = Record<string, unknown>;
const PROBLEM_REF = { $ref: '#/components/responses/Problem' };

/** A route outside the tenants': of the server as a whole. */
export interface OpenRoute {
  readonly method: Method;
  /** The whole of it. */
  readonly path: string;
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly answers: RouteSpec['answers'];
}

export function openApiOf(specs: readonly RouteSpec[], open: readonly OpenRoute[], version: string): Schema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { path, ...route } of open)
    (paths[path] ??= {})[route.method] = {
      summary: route.summary,
      operationId: operationId({ method: route.method, path: path.replace('/v1', '') }),
      ...requestBodyOf(route),
      responses: { ...answersOf(route), default: PROBLEM_REF },
    };
  for (const spec of specs) {
    const path = `${TENANT_PATH}${spec.path}`.replace(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[spec.method] = operationOf(spec, path);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Attaché',
      version,
      description: 'Agents attached to conversations and businesses: docs/guide/api.md.',
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }, { session: [] }, {}],
    paths,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'A key of ATTACHE_API_KEYS or of /keys. Without the former, only this machine may ask.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description: 'Set by POST /v1/session. What changes something must come from a page of this server.',
        },
      },
      schemas: { Problem: PROBLEM_SCHEMA },
      responses: {
        Problem: {
          description: 'RFC 9457',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    },
  };
}

const PROBLEM_SCHEMA = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'errors'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { enum: Object.keys(PROBLEMS) },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

function operationOf(spec: RouteSpec, path: string): Schema {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return {
    summary: spec.summary,
    operationId: operationId(spec),
    'x-role': spec.role,
    parameters: [...inPath, ...queryParameters(spec), ...headerParameters(spec)],
    ...requestBodyOf(spec),
    responses: {
      ...answersOf(spec),
      ...(isMarked(spec) ? { 304: { description: 'what If-None-Match names is still so' } } : {}),
      default: PROBLEM_REF,
    },
  };
}

function requestBodyOf({ body, bodyIs }: Pick<RouteSpec, 'body' | 'bodyIs'>): Schema {
  if (body === undefined) return {};
  const content = { 'application/json': { schema: schemaOf(body, 'input') } };
  return { requestBody: { required: bodyIs !== 'optional', content } };
}

function answersOf({ answers, csv }: Pick<RouteSpec, 'answers' | 'csv'>): Schema {
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [
      status,
      typeof answer === 'string' ? { description: answer } : jsonContent('done', schemaOf(answer, 'output'), csv),
    ]),
  );
}

/** Its answer comes with an ETag. */
function isMarked({ method, answers }: RouteSpec): boolean {
  return method === 'get' && typeof answers[200] === 'object';
}

function headerParameters(spec: RouteSpec): Schema[] {
  const header = (name: string, description: string) => ({
    ...{ name, in: 'header', required: false, description },
    schema: { type: 'string', maxLength: 200 },
  });
  if (isMarked(spec)) return [header('If-None-Match', 'the ETag of an earlier answer')];
  return spec.method === 'get' || spec.secret === true
    ? []
    : [header('Idempotency-Key', 'sent again within a day, it gets the first answer')];
}

function jsonContent(description: string, schema: Schema, csv = false): Schema {
  const other = csv ? { 'text/csv': { schema: { type: 'string' } } } : {};
  return { description, content: { 'application/json': { schema }, ...other } };
}

function queryParameters({ query }: RouteSpec): Schema[] {
  if (query === undefined) return [];
  const { properties = {} } = schemaOf(query, 'input') as { properties?: Record<string, Schema> };
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}

function operationId({ method, path }: Pick<RouteSpec, 'method' | 'path'>): string {
  const words = path.split(/[/:]+/).filter((word) => word !== '');
  return [method, ...words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))].join('');
}

/** Any JSON is written as the empty schema: its recursive definition would point outside the document. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const json = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    reused: 'inline',
    override: ({ zodSchema, jsonSchema }) => {
      if (Object.is(zodSchema, JsonValue))
        for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
    },
  });
  return inlined(json) as Schema;
}

function inlined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inlined);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== '$schema' && key !== '$defs' && key !== '$ref');
  return Object.fromEntries(entries.map(([key, member]) => [key, inlined(member)]));
}

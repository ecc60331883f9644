/** A tenant's ERP behind HTTP: asks, and tells every answer in the terms of the port. */
import { z } from 'zod';
import { jsonOf } from '../../domain/json.ts';
import { InvalidInputError } from '../../domain/errors.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { ErpKind, ErpRecord } from '../../domain/schemas/erp-records.ts';
import type { AnyRecord } from '../../domain/schemas/erp-writes.ts';
import type { Erp } from '../erp.ts';
import { ErpError, type ErpFailure } from '../erp-error.ts';
import { type AnswerOf, type Operation, OPERATIONS, type RequestOf } from './contract.ts';
import { erpErrorOf } from './fetch-failure.ts';

/** Longer than any honest answer, as for channels. */
const ANSWER_TIMEOUT_MS = 20_000;

export interface HttpErpOptions {
  readonly tenant: TenantId;
  readonly url: string;
  readonly token: string;
  readonly answerTimeoutMs?: number;
}

export function createHttpErp(options: HttpErpOptions): Erp {
  const { tenant } = options;
  return {
    async list<Kind extends ErpKind>(kind: Kind, { cursor, limit, where, signal }: Parameters<Erp['list']>[1]) {
      const body = { tenant, kind, limit, where: definite(where), ...(cursor === undefined ? {} : { cursor }) };
      const { items, ...page } = await ask(options, 'list', body, signal);
      return { ...page, items: items.map((item) => recordOf(kind, item)) };
    },
    async get(kind, id, { signal } = {}) {
      const { found } = await ask(options, 'get', { tenant, kind, id }, signal);
      return found === null ? undefined : recordOf(kind, found);
    },
    async demand({ productIds, from, to, signal }) {
      const { items } = await ask(options, 'demand', { tenant, productIds: [...productIds], from, to }, signal);
      return productIds.map((productId) => items.find((one) => one.productId === productId) ?? { productId, days: [] });
    },
    write: async (command, { idempotencyKey, precondition, signal }) =>
      ask(options, 'write', { tenant, command, idempotencyKey, precondition: [...precondition] }, signal),
    async findByKey(idempotencyKey, { signal } = {}) {
      return (await ask(options, 'findByKey', { tenant, idempotencyKey }, signal)).found ?? undefined;
    },
    changes: async ({ cursor, limit, signal }) => ask(options, 'changes', { tenant, cursor, limit }, signal),
  };
}

/** `https://erp.example.com/attache/` and `/writes` are one address. */
export function endpointOf(url: string, path: string): string {
  return `${url.replace(/\/+$/, '')}${path}`;
}

async function ask<Op extends Operation>(
  { url, token, answerTimeoutMs = ANSWER_TIMEOUT_MS }: HttpErpOptions,
  operation: Op,
  body: RequestOf<Op>,
  signal: AbortSignal | undefined,
): Promise<AnswerOf<Op>> {
  const { path, answer } = OPERATIONS[operation];
  const isWrite = operation === 'write';
  if (signal?.aborted === true)
    throw new ErpError({
      failure: 'outage',
      code: 'cancelled',
      message: 'the attempt was cancelled before the call: nothing was done',
    });
  const timeout = AbortSignal.timeout(answerTimeoutMs);
  const response = await called(endpointOf(url, path), isWrite, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      // For gateways that know this header.
      ...('idempotencyKey' in body && isWrite ? { 'idempotency-key': body.idempotencyKey } : {}),
    },
    body: JSON.stringify(body),
    // A redirect would carry the write somewhere nobody configured.
    redirect: 'manual',
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  });
  if (response.status < 200 || response.status > 299) throw refusal(response, isWrite);
  const read = answer.safeParse(response.json);
  if (read.success) return read.data as AnswerOf<Op>;
  const [issue] = read.error.issues;
  throw new ErpError({
    failure: isWrite ? 'unknown_fate' : 'permanent',
    code: 'unreadable_answer',
    message: `the ERP answered ${path} with something that does not fit the contract: ${issue?.path.join('.') ?? ''}`,
  });
}

interface Answered {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly json: unknown;
}

/** @throws {ErpError} when there is no whole answer. */
async function called(address: string, isWrite: boolean, init: RequestInit): Promise<Answered> {
  try {
    const response = await fetch(address, init);
    const text = await response.text();
    return { status: response.status, retryAfter: response.headers.get('retry-after'), json: jsonOf(text) };
  } catch (cause) {
    throw erpErrorOf(cause, { isWrite });
  }
}

const Problem = z.object({ code: z.string().max(100), detail: z.string().optional() });

/** Our own mistakes are told as the demo ERP tells them. */
function refusal({ status, retryAfter, json }: Answered, isWrite: boolean): Error {
  const problem = Problem.safeParse(json).data;
  const detail = problem?.detail?.slice(0, 300) ?? 'without saying why';
  const [, path, message] = /^([A-Za-z.]+): (.*)$/s.exec(detail) ?? [];
  if (status === 400 && problem?.code === 'invalid' && path !== undefined && message !== undefined)
    return new InvalidInputError([{ path, message }]);
  const seconds = Number(retryAfter ?? Number.NaN);
  return new ErpError({
    failure: failureOf(status, problem?.code, isWrite),
    code: problem?.code ?? `http_${status}`,
    message: `the ERP refused: ${detail} (HTTP ${status})`,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : undefined,
  });
}

function failureOf(status: number, code: string | undefined, isWrite: boolean): ErpFailure {
  if (status === 429) return 'rate_limited';
  if (status === 401 || status === 403) return 'unauthorized';
  if (status !== 408 && status < 500) return 'permanent';
  // Only its own word for it: a gateway's 503 says nothing of what happened behind it.
  return isWrite && !(status === 503 && code === 'nothing_done') ? 'unknown_fate' : 'outage';
}

function recordOf<Kind extends ErpKind>(kind: Kind, item: AnyRecord): ErpRecord<Kind> {
  if (item.kind === kind) return item.record as ErpRecord<Kind>;
  throw new ErpError({
    failure: 'permanent',
    code: 'unreadable_answer',
    message: `the ERP answered a ${item.kind} for a ${kind}`,
  });
}

function definite(where: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(where).flatMap(([field, value]) => (value === undefined ? [] : [[field, value]])),
  );
}

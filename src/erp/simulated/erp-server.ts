/**
 * An ERP's server that keeps the contract of docs/erp.openapi.json, over real HTTP, in front of any ERP: the reference for
 * whoever writes one. It fails on demand in the ways of networks; with `breaches` it breaks the contract as servers do.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { jsonOf } from '../../domain/json.ts';
import { InvalidInputError } from '../../domain/errors.ts';
import { problemsOf, problemText } from '../../domain/schemas/issues.ts';
import type { Erp } from '../erp.ts';
import { type Operation, OPERATIONS } from '../remote/contract.ts';
import { type Breach, serve } from './serve.ts';

/** What happens to one request. `cutBefore`: the connection breaks and nothing is done; `cutAfter`: it is done, and the answer lost. */
export type ErpFault =
  | { readonly fault: 'cutBefore' }
  | { readonly fault: 'cutAfter' }
  /** Done at once, answered after `ms`. */
  | { readonly fault: 'slow'; readonly ms: number }
  /** Refused so, and nothing is done. */
  | { readonly fault: 'refuse'; readonly status: number; readonly body?: unknown; readonly retryAfter?: number };

export interface ErpServerOptions {
  /** Undefined: the server knows no such tenant. */
  readonly erpOf: (tenant: string) => Erp | undefined;
  readonly token: string;
  readonly breaches?: readonly Breach[];
  /** Asked for each request that no `failNext` has settled; for random faults, draw here. */
  readonly fault?: (operation: Operation) => ErpFault | undefined;
  /** 0: any free one. */
  readonly port?: number;
}

export interface ErpCall {
  readonly operation: Operation;
  readonly tenant: string;
  /** ms since 1970. */
  readonly at: number;
}

export interface RunningErp {
  readonly url: string;
  /** Every request that was understood, oldest first, faults included. */
  readonly calls: readonly ErpCall[];
  /** The most calls of one tenant within any second. */
  busiestSecond(tenant: string): number;
  /** The next request (of that operation) meets this; several wait in order. */
  failNext(fault: ErpFault, operation?: Operation): void;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfter?: number | undefined;
}

export async function startErpServer(options: ErpServerOptions): Promise<RunningErp> {
  const calls: ErpCall[] = [];
  const planned: { readonly fault: ErpFault; readonly operation: Operation | undefined }[] = [];
  const faultOf = (operation: Operation): ErpFault | undefined => {
    const at = planned.findIndex((one) => one.operation === undefined || one.operation === operation);
    return at < 0 ? options.fault?.(operation) : planned.splice(at, 1)[0]?.fault;
  };
  const server = createServer((request, response) => {
    void handle(request, response, { options, calls, faultOf }).catch(() => request.socket.destroy());
  });
  // Idle connections stay: one closed while the next request is on its way would be a fault nobody asked for.
  server.keepAliveTimeout = 0;
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/attache`,
    calls,
    busiestSecond: (tenant) => busiest(calls.flatMap((call) => (call.tenant === tenant ? [call.at] : []))),
    failNext: (fault, operation) => void planned.push({ fault, operation }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Setting {
  readonly options: ErpServerOptions;
  readonly calls: ErpCall[];
  readonly faultOf: (operation: Operation) => ErpFault | undefined;
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { options, calls, faultOf }: Setting,
): Promise<void> {
  const path = (request.url ?? '').replace(/^\/attache/, '');
  const operation = (Object.keys(OPERATIONS) as Operation[]).find((name) => OPERATIONS[name].path === path);
  const body = jsonOf(await bodyOf(request));
  if (operation === undefined) {
    write(response, problem(400, 'invalid', 'there is no such path'));
    return;
  }
  const tenant = z.object({ tenant: z.string() }).safeParse(body).data?.tenant ?? '';
  calls.push({ operation, tenant, at: Date.now() });
  const fault = faultOf(operation);
  if (fault?.fault === 'cutBefore') {
    request.socket.destroy();
    return;
  }
  if (fault?.fault === 'refuse') {
    write(response, { body: null, ...fault });
    return;
  }
  const trusts = options.breaches?.includes('trustsAnybody') === true;
  const isKnown = trusts || request.headers.authorization === `Bearer ${options.token}`;
  const answer = isKnown
    ? await answered(operation, body, options.erpOf(tenant), options.breaches ?? [])
    : problem(401, 'unauthorized', 'this is not the token');
  if (fault?.fault === 'cutAfter') {
    request.socket.destroy();
    return;
  }
  if (fault?.fault === 'slow') await sleep(fault.ms);
  write(response, answer);
}

async function answered(
  operation: Operation,
  body: unknown,
  erp: Erp | undefined,
  breaches: readonly Breach[],
): Promise<Answer> {
  if (erp === undefined) return problem(401, 'unauthorized', 'this token is not of that tenant');
  const parsed = OPERATIONS[operation].request.safeParse(body);
  if (!parsed.success) return problem(400, 'invalid', problemsOf(parsed.error).map(problemText).join('; '));
  try {
    return { status: 200, body: await serve(erp, operation, parsed.data, breaches) };
  } catch (error) {
    if (error instanceof InvalidInputError) return problem(400, 'invalid', error.problems.map(problemText).join('; '));
    return problem(500, 'internal', 'something went wrong');
  }
}

function busiest(instants: readonly number[]): number {
  return Math.max(0, ...instants.map((from, n) => instants.slice(n).filter((at) => at < from + 1_000).length));
}

function problem(status: number, code: string, detail: string): Answer {
  return { status, body: { code, detail } };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function write(response: ServerResponse, { status, body, retryAfter }: Answer): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  });
  response.end(JSON.stringify(body));
}

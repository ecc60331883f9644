/** Asks a CRM's server, signed, and tells every answer in the terms of `ChannelError`. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { jsonOf } from '../../domain/json.ts';
import { ChannelError, type ChannelFailure } from '../channel-error.ts';
import { channelErrorOf, failureOfStatus } from '../fetch-failure.ts';
import { retryAfterMs } from '../retry-after.ts';
import { signedHeaders } from '../standard-webhooks.ts';
import type { CrmServer } from './config.ts';
import { OPERATIONS, type AnswerOf, type Operation, type RequestOf } from './contract.ts';

const PROVIDER = 'the CRM';
/** As for the other channels: longer than any honest answer. */
const ANSWER_TIMEOUT_MS = 20_000;

export interface CrmClient {
  /** @throws {ChannelError} */
  ask<Op extends Operation>(operation: Op, body: RequestOf<Op>, signal: AbortSignal): Promise<AnswerOf<Op>>;
}

export function createCrmClient({ url, signingSecret }: Pick<CrmServer, 'url' | 'signingSecret'>): CrmClient {
  return {
    async ask(operation, body, signal) {
      if (signal.aborted)
        throw new ChannelError({
          failure: 'outage',
          code: 'cancelled',
          message: 'the attempt was cancelled before the call: nothing was sent',
        });
      const { path, answer } = OPERATIONS[operation];
      const text = JSON.stringify(body);
      const reference = 'reference' in body && operation !== 'find' ? body.reference : undefined;
      const response = await called(endpointOf(url, path), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(reference === undefined ? {} : { 'idempotency-key': reference }),
          ...signedHeaders({ id: reference ?? randomUUID(), at: new Date(), body: text, secrets: [signingSecret] }),
        },
        body: text,
        // A redirect would carry the message somewhere nobody configured.
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
      });
      if (response.status < 200 || response.status > 299) throw refusal(response);
      const read = answer.safeParse(response.json);
      if (read.success) return read.data as AnswerOf<typeof operation>;
      throw new ChannelError({
        failure: 'unknown_fate',
        code: 'unreadable_answer',
        message: `${PROVIDER} answered ${path} with something that does not fit the contract`,
      });
    },
  };
}

/** `https://crm.example.com/attache/` and `/messages/send` are one address. */
export function endpointOf(url: string, path: string): string {
  return `${url.replace(/\/+$/, '')}${path}`;
}

interface Answered {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly json: unknown;
}

/** @throws {ChannelError} when there is no whole answer. */
async function called(address: string, init: RequestInit): Promise<Answered> {
  try {
    const response = await fetch(address, init);
    const text = await response.text();
    return { status: response.status, retryAfter: response.headers.get('retry-after'), json: jsonOf(text) };
  } catch (cause) {
    throw channelErrorOf(cause, PROVIDER);
  }
}

const Problem = z.object({ code: z.string().max(100), detail: z.string().optional() });

function refusal({ status, retryAfter, json }: Answered): ChannelError {
  const problem = Problem.safeParse(json).data;
  const wait = retryAfterMs(retryAfter, Date.now());
  return new ChannelError({
    failure: failureOf(status, problem?.code),
    code: problem?.code ?? `http_${status}`,
    message: `${PROVIDER} refused: ${problem?.detail?.slice(0, 300) ?? 'without saying why'} (HTTP ${status})`,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  });
}

function failureOf(status: number, code: string | undefined): ChannelFailure {
  if (code === 'unreachable' || code === 'window_closed' || code === 'marketing_stopped') return code;
  // Only its own word for it: a gateway's 503 says nothing of what happened behind it.
  if (status === 503 && code === 'nothing_done') return 'outage';
  return failureOfStatus(status);
}

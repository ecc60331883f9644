/** Calls of Meta's Graph API for one number, and every way they fail in the terms of `ChannelError`. */
import { z } from 'zod';
import { jsonOf } from '../../domain/json.ts';
import { ChannelError } from '../channel-error.ts';
import { channelErrorOf } from '../fetch-failure.ts';
import { retryAfterMs } from '../retry-after.ts';
import type { WhatsAppConfig } from './config.ts';
import { meaningOf } from './failures.ts';
import { errorOf } from './parse-messages.ts';
import { MetaError } from './webhook-schema.ts';

export const PROVIDER = 'WhatsApp';
const Refused = z.object({ error: MetaError });

type Call = Omit<RequestInit, 'headers'> & { readonly headers?: Record<string, string> };

export class GraphApi {
  private readonly config: WhatsAppConfig;
  private readonly answerTimeoutMs: number;

  /** `answerTimeoutMs`: how long to wait for an answer before a call's fate counts as unknown. */
  constructor(config: WhatsAppConfig, answerTimeoutMs: number) {
    this.config = config;
    this.answerTimeoutMs = answerTimeoutMs;
  }

  /** `path` under the number: `messages`. @throws {ChannelError} */
  async post(path: string, body: object, signal: AbortSignal): Promise<unknown> {
    return this.json(`${this.config.phoneNumberId}/${path}`, signal, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** Changes nothing there, so whatever goes wrong, it may be asked again. @throws {ChannelError} */
  async get(path: string, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.json(path, signal, { method: 'GET' });
    } catch (error) {
      throw askedOnly(error);
    }
  }

  /** The open answer, whatever its status. @throws {ChannelError} when none comes. */
  async download(url: string, signal: AbortSignal): Promise<Response> {
    try {
      return await this.fetch(url, signal, { method: 'GET' });
    } catch (error) {
      throw askedOnly(error);
    }
  }

  /** Where calls go: the origin whose addresses may be plain HTTP. */
  get origin(): string {
    return new URL(this.config.apiUrl).origin;
  }

  private async json(path: string, signal: AbortSignal, init: Call): Promise<unknown> {
    const url = `${this.config.apiUrl.replace(/\/$/, '')}/${path}`;
    const response = await this.fetch(url, AbortSignal.any([signal, AbortSignal.timeout(this.answerTimeoutMs)]), init);
    let text: string;
    try {
      text = await response.text();
    } catch (cause) {
      throw channelErrorOf(cause, PROVIDER);
    }
    const answer = jsonOf(text);
    if (response.ok) return answer;
    throw refusal(response, answer);
  }

  private async fetch(url: string, signal: AbortSignal, init: Call): Promise<Response> {
    if (signal.aborted)
      throw new ChannelError({
        failure: 'outage',
        code: 'cancelled',
        message: 'the attempt was cancelled before the call: nothing was sent',
      });
    try {
      return await fetch(url, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${this.config.accessToken}` },
        // A redirect would send the token and the message somewhere nobody configured.
        redirect: 'manual',
        signal,
      });
    } catch (cause) {
      throw channelErrorOf(cause, PROVIDER);
    }
  }
}

function askedOnly(error: unknown): unknown {
  if (!(error instanceof ChannelError) || error.failure !== 'unknown_fate') return error;
  const { code, retryAfterMs: wait } = error;
  const message = `${PROVIDER} did not answer a question (${code})`;
  return new ChannelError({ failure: 'outage', code, message, ...(wait !== undefined && { retryAfterMs: wait }) });
}

/** Meta's code decides; without one that we know, the HTTP status. */
function refusal(response: Response, answer: unknown): ChannelError {
  const refused = Refused.safeParse(answer).data?.error;
  const code = Number(refused?.code ?? Number.NaN);
  const meaning = meaningOf(code) ?? byStatus(response.status);
  const said =
    refused === undefined
      ? `HTTP ${response.status}`
      : `${errorOf(refused).message} [${code}, HTTP ${response.status}]`;
  const wait = retryAfterMs(response.headers.get('retry-after'), Date.now()) ?? meaning.wait;
  return new ChannelError({
    failure: meaning.failure,
    code: refused === undefined ? `http_${response.status}` : String(refused.code),
    message: `${PROVIDER}: ${meaning.what}. It said: ${said.slice(0, 400)}`,
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

function byStatus(status: number): {
  readonly failure: ChannelError['failure'];
  readonly what: string;
  readonly wait?: number;
} {
  if (status === 401 || status === 403) return { failure: 'unauthorized', what: 'the access token was refused' };
  if (status === 429) return { failure: 'rate_limited', what: 'too many calls' };
  if (status === 408 || status >= 500)
    return { failure: 'unknown_fate', what: 'failed without saying whether the message went out' };
  return { failure: 'permanent', what: 'the request was refused' };
}

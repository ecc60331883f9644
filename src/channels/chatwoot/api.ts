/** Chatwoot's REST API: one call, its answer, and every failure in the terms of `ChannelError`. */
import type { z } from 'zod';
import { jsonOf } from '../../domain/json.ts';
import { ChannelError } from '../channel-error.ts';
import { channelErrorOf, failureOfStatus } from '../fetch-failure.ts';
import { downloadPublic } from '../guarded-download.ts';
import { retryAfterMs } from '../retry-after.ts';
import type { ChatwootConfig } from './config.ts';

export const PROVIDER = 'Chatwoot';
/** Its answers take well below a second; a self-hosted one under load is given ten. */
const ANSWER_TIMEOUT_MS = 10_000;

export interface Call<Answer> {
  readonly method: 'GET' | 'POST';
  /** After `/api/v1/accounts/{id}`. */
  readonly path: string;
  readonly body?: object;
  readonly answer: z.ZodType<Answer>;
  readonly signal: AbortSignal;
}

export class ChatwootApi {
  private readonly config: ChatwootConfig;
  private readonly answerTimeoutMs: number;

  constructor(config: ChatwootConfig, answerTimeoutMs = ANSWER_TIMEOUT_MS) {
    this.config = config;
    this.answerTimeoutMs = answerTimeoutMs;
  }

  /** Changes nothing there, so whatever goes wrong, nothing went out. @throws {ChannelError} */
  async get<Answer>(call: Omit<Call<Answer>, 'method' | 'body'>): Promise<Answer> {
    try {
      return await this.call({ ...call, method: 'GET' });
    } catch (error) {
      throw askedOnly(error);
    }
  }

  /** @throws {ChannelError} */
  post<Answer>(call: Omit<Call<Answer>, 'method'>): Promise<Answer> {
    return this.call({ ...call, method: 'POST' });
  }

  /**
   * A file's open answer, whatever its status; without our token, since addresses of files carry their own. Any port of the
   * installation's own host may be asked, which the configuration names; elsewhere public addresses only. @throws {ChannelError}
   */
  async download(url: string, signal: AbortSignal): Promise<Response> {
    const isOwn = new URL(url).hostname === new URL(this.origin).hostname;
    try {
      return await (isOwn ? this.fetch(url, { signal }) : downloadPublic(url, signal));
    } catch (cause) {
      throw cause instanceof ChannelError ? cause : askedOnly(channelErrorOf(cause, PROVIDER));
    }
  }

  /** Of the installation, without a slash at its end. */
  get origin(): string {
    return this.config.url.replace(/\/$/, '');
  }

  private async fetch(url: string, init: RequestInit): Promise<Response> {
    // A redirect would send the token somewhere nobody configured.
    return fetch(url, { ...init, redirect: 'manual' });
  }

  private async call<Answer>({ method, path, body, answer, signal }: Call<Answer>): Promise<Answer> {
    const { accountId, apiToken } = this.config;
    if (signal.aborted)
      throw new ChannelError({
        failure: 'outage',
        code: 'cancelled',
        message: 'the attempt was cancelled before the call: nothing was sent',
      });
    let response: Response;
    let text: string;
    try {
      response = await this.fetch(`${this.origin}/api/v1/accounts/${accountId}${path}`, {
        method,
        headers: { api_access_token: apiToken, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(this.answerTimeoutMs)]),
      });
      text = await response.text();
    } catch (cause) {
      throw channelErrorOf(cause, PROVIDER);
    }
    if (!response.ok) throw refusal(response, text);
    const parsed = answer.safeParse(jsonOf(text));
    if (parsed.success) return parsed.data;
    throw new ChannelError({
      failure: 'unknown_fate',
      code: 'unreadable_answer',
      message: `${PROVIDER} answered ${method} ${path.split('?')[0] ?? path} with something unreadable`,
    });
  }
}

function askedOnly(error: unknown): unknown {
  if (!(error instanceof ChannelError) || error.failure !== 'unknown_fate') return error;
  return new ChannelError({
    failure: 'outage',
    code: error.code,
    message: `${error.message.split(':')[0] ?? PROVIDER}, asked before sending: nothing was sent`,
    cause: error,
  });
}

function refusal({ status, headers }: Response, text: string): ChannelError {
  const wait = retryAfterMs(headers.get('retry-after'), Date.now());
  return new ChannelError({
    failure: failureOfStatus(status),
    code: `http_${status}`,
    message: `${PROVIDER} answered HTTP ${status}: ${text.slice(0, 200)}`,
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

/** Asking the server: JSON, one kind of error, and the credentials that the browser keeps. */

import { doubtStream } from './stream.ts';

/** RFC 9457, as the server writes it. */
export interface Problem {
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/** The server answered no. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** Nobody answered. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

export interface Question {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers to questions that were asked before anybody waited for them, by path. */
const early = new Map<string, Promise<Response | undefined>>();

/** Whoever has not asked by then is given no answer that is older. */
const EARLY_MS = 5_000;

/** Asks now; whoever asks the same first, and soon, is handed that answer. Never answers by itself. */
export const begin: Ask = async (path) => {
  early.set(
    path,
    fetch(path, { headers: { accept: 'application/json' } }).catch(() => undefined),
  );
  setTimeout(() => early.delete(path), EARLY_MS);
  return new Promise(() => undefined);
};

/** Only what went well is handed on: a refusal may be about somebody who has signed in since. */
async function beganWell(path: string): Promise<Response | undefined> {
  const began = early.get(path);
  early.delete(path);
  const response = await began;
  return response?.ok === true ? response : undefined;
}

export type Ask = <Answer>(path: string, question?: Question) => Promise<Answer>;

/**
 * @param token a bearer token for a page that has no cookie: the embedded panel.
 * @param onSignedOut the server no longer knows who asks.
 */
export function createAsk({ token, onSignedOut }: { readonly token?: string; readonly onSignedOut?: () => void }): Ask {
  return async <Answer>(path: string, { method = 'GET', body, signal, headers = {} }: Question = {}) => {
    const began = method === 'GET' && token === undefined ? await beganWell(path) : undefined;
    if (began !== undefined) return (await began.json()) as Answer;
    const response = await fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      if (signal?.aborted === true) throw error;
      doubtStream();
      throw new Unreachable('the server does not answer', { cause: error });
    });
    if (response.status === 401) onSignedOut?.();
    if (!response.ok) throw new Refused(await problemIn(response));
    if (response.status === 204) return undefined as Answer;
    return (await response.json()) as Answer;
  };
}

async function problemIn(response: Response): Promise<Problem> {
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  return {
    title: problem.title ?? response.statusText,
    status: response.status,
    detail: problem.detail ?? `HTTP ${response.status}`,
    code: problem.code ?? 'unknown',
    ...(problem.errors === undefined ? {} : { errors: problem.errors }),
  };
}

/** A query string without what is not asked for. */
export function queryOf(values: Readonly<Record<string, string | number | boolean | undefined | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

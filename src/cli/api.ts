/** The API as a command sees it: paths in, objects out, every refusal an exit code. */
import { CommandError, EXIT, type ExitCode } from './outcome.ts';

export interface ApiSettings {
  /** Undefined: no server is known. */
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Longer than the API's own waits: 5 s for an end, 5 s for a run that is still ending. */
const TIMEOUT_MS = 30_000;

export class Api {
  private readonly settings: ApiSettings;

  constructor(settings: ApiSettings) {
    this.settings = settings;
  }

  async get(tenant: string, path: string, query: Readonly<Record<string, string | undefined>> = {}): Promise<unknown> {
    return (await this.ask('GET', tenant, `${path}${searchOf(query)}`)).body;
  }

  /** As the server writes it, in the form that the query asks for. */
  async text(tenant: string, path: string, query: Readonly<Record<string, string | undefined>>): Promise<string> {
    return (await this.answer('GET', tenant, `${path}${searchOf(query)}`)).text;
  }

  async post(tenant: string, path: string, body: unknown): Promise<ApiAnswer> {
    return this.ask('POST', tenant, path, body);
  }

  async delete(tenant: string, path: string, body: unknown): Promise<ApiAnswer> {
    return this.ask('DELETE', tenant, path, body);
  }

  async put(tenant: string, path: string, body: unknown): Promise<ApiAnswer> {
    return this.ask('PUT', tenant, path, body);
  }

  private async ask(method: string, tenant: string, path: string, body?: unknown): Promise<ApiAnswer> {
    const { status, text } = await this.answer(method, tenant, path, body);
    return { status, body: jsonIn(text, status, this.base()) };
  }

  /** @throws {CommandError} for everything that is not 2xx. */
  private async answer(
    method: string,
    tenant: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const base = this.base();
    const { apiKey } = this.settings;
    const headers = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    };
    let response: Response;
    let text: string;
    try {
      response = await fetch(new URL(`/v1/tenants/${tenant}${path}`, base), {
        method,
        headers,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      text = await response.text();
    } catch (error) {
      throw new CommandError(EXIT.unreachable, `no server answers at ${base.origin}${reasonOf(error)}`, {
        remedy: 'Start one (attache dev, or attache server), or name another with ATTACHE_URL.',
      });
    }
    const { ok, status } = response;
    if (!ok) throw refusal(jsonIn(text, status, base), status);
    return { status, text };
  }

  /** @throws {CommandError} */
  private base(): URL {
    const { url } = this.settings;
    if (url === undefined)
      throw new CommandError(EXIT.unreachable, 'no server is known here', {
        remedy: 'Start one in this folder with attache dev, or name one with ATTACHE_URL.',
      });
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new CommandError(EXIT.usage, `ATTACHE_URL must be an address such as http://127.0.0.1:8080, not "${url}"`);
    return new URL(url);
  }
}

function searchOf(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

/** @throws {CommandError} where it is none. */
function jsonIn(text: string, status: number, base: URL): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    throw new CommandError(EXIT.failed, `what answers at ${base.origin} is not Attaché (HTTP ${status})`, {
      remedy: 'Check ATTACHE_URL.',
    });
  }
}

function refusal(body: unknown, status: number): CommandError {
  const {
    title = `HTTP ${status}`,
    detail = '',
    code,
  } = (body ?? {}) as Partial<Record<'title' | 'detail' | 'code', string>>;
  const remedy =
    status === 401
      ? 'Set ATTACHE_API_KEY to a key of the server.'
      : code === 'tenant_not_found'
        ? 'Name another tenant with --tenant, or before the subject: acme/conversation/42.'
        : undefined;
  return new CommandError(exitOf(status), detail === '' ? title : `${title}: ${detail}`, {
    problem: body,
    ...(remedy === undefined ? {} : { remedy }),
  });
}

function exitOf(status: number): ExitCode {
  if (status === 404) return EXIT.notFound;
  if (status === 409) return EXIT.conflict;
  return status === 400 || status === 422 ? EXIT.usage : EXIT.failed;
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return '';
  const code =
    'code' in cause && typeof cause.code === 'string'
      ? cause.code
      : cause.name === 'TimeoutError'
        ? 'no answer in time'
        : cause.message;
  return ` (${code})`;
}

/** What comes in a request: read within a limit, as JSON, and free of text that no database takes. */
import { isDeeperThan, unstorable } from '../domain/storable.ts';
import { invalidField, ProblemError } from './problems.ts';

/** Bodies of the API: a batch of 500 events fits many times over. */
const BODY_LIMIT = 1024 * 1024;
/** Meta documents webhook bodies of up to 3 MB. */
export const WEBHOOK_LIMIT = 3 * 1024 * 1024;

/** @throws {ProblemError} `too_large` */
export async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const tooLarge = () => new ProblemError('too_large', `the body may have ${limit} bytes at most`);
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge();
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The body as JSON; undefined when there is none and `optional` says that is fine.
 * @throws {ProblemError} `unsupported_media_type`, `malformed_json`, `too_large`
 */
export async function readJson(request: Request, { optional = false }: { optional?: boolean } = {}): Promise<unknown> {
  const bytes = await readBytes(request, BODY_LIMIT);
  if (bytes.byteLength === 0 && optional) return undefined;
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json$/.test(type))
    throw new ProblemError(
      'unsupported_media_type',
      `send Content-Type: application/json${type === '' ? '' : `, not ${type.slice(0, 80)}`}`,
    );
  return parseJson(bytes);
}

/** @throws {ProblemError} `malformed_json` */
function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch (error) {
    throw new ProblemError(
      'malformed_json',
      error instanceof SyntaxError ? `not JSON: ${error.message.slice(0, 120)}` : 'the body is not UTF-8',
    );
  }
}

/** More than any item of a body may have, so that it still fails alone; far less than makes a recursive reader choke. */
const MAX_DEPTH = 60;

/** @throws {ProblemError} `invalid` */
export function assertShallow(body: unknown): void {
  if (isDeeperThan(body, MAX_DEPTH)) throw invalidField('body', `must not be nested deeper than ${MAX_DEPTH}`);
}

/** @throws {ProblemError} `invalid`, naming where. */
export function assertStorable(value: unknown, root = ''): void {
  const errors = unstorable(value, root);
  if (errors.length > 0)
    throw new ProblemError(
      'invalid',
      errors
        .slice(0, 3)
        .map(({ path, message }) => `${path} ${message}`)
        .join('; '),
      { errors },
    );
}

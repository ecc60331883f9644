/** What comes in a request: read within a limit, as JSON, and free of text that no database takes. */
import type { InputProblem } from '../domain/errors.ts';
import { ProblemError } from './problems.ts';

/** Bodies of the API: a batch of 500 events fits many times over. */
export const BODY_LIMIT = 1024 * 1024;
/** Meta documents webhook bodies of up to 3 MB. */
export const WEBHOOK_LIMIT = 3 * 1024 * 1024;
/** Deeper than any honest value, shallow enough for recursive readers. */
const DEPTH_LIMIT = 50;
const PROBLEM_LIMIT = 20;

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
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch (error) {
    throw new ProblemError(
      'malformed_json',
      error instanceof SyntaxError ? `not JSON: ${error.message.slice(0, 120)}` : 'the body is not UTF-8',
    );
  }
}

/** Text with NUL or half of a surrogate pair, and nesting without end: what PostgreSQL or a recursive reader would choke on. */
export function unstorable(value: unknown, root = ''): InputProblem[] {
  const problems: InputProblem[] = [];
  const rest: { at: unknown; path: string; depth: number }[] = [{ at: value, path: root, depth: 0 }];
  for (let next = rest.pop(); next !== undefined && problems.length < PROBLEM_LIMIT; next = rest.pop()) {
    const { at, path, depth } = next;
    if (typeof at === 'string') problems.push(...textProblems(at, path));
    if (typeof at !== 'object' || at === null) continue;
    if (depth >= DEPTH_LIMIT) {
      problems.push({ path: path.slice(0, 120), message: `must not be nested deeper than ${DEPTH_LIMIT}` });
      continue;
    }
    for (const [key, member] of Object.entries(at)) {
      problems.push(...textProblems(key, path === '' ? 'a key' : `a key of ${path}`));
      rest.push({ at: member, path: path === '' ? key : `${path}.${key}`, depth: depth + 1 });
    }
  }
  return problems;
}

function textProblems(text: string, path: string): InputProblem[] {
  if (text.includes('\u0000')) return [{ path, message: 'must not hold the character NUL' }];
  return /\p{Surrogate}/u.test(text)
    ? [{ path, message: 'must be well-formed Unicode, without half of a surrogate pair' }]
    : [];
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

/**
 * What a value must be free of to be kept and read again: PostgreSQL stores neither NUL nor half of a surrogate pair, and
 * JSON may hold both. Who can be told is told ({@link unstorable}); for anybody else it is mended ({@link storable}).
 */
import type { InputProblem } from './errors.ts';

/** Deeper than any honest value, shallow enough for recursive readers. */
const DEPTH_LIMIT = 50;
const PROBLEM_LIMIT = 20;

/** Where such text stands, and nesting without end, on which a recursive reader would choke. */
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

/** The text with U+FFFD in place of each such character, so that nothing is lost for one of them. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** The same value with every text in it storable, keys included. Of a depth that is known: it recurs. */
export function storable<Value>(value: Value): Value {
  if (typeof value === 'string') return storableText(value) as Value;
  if (Array.isArray(value)) return value.map(storable) as Value;
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries defines "__proto__" as a plain key, where an assignment would not.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [storableText(key), storable(item as unknown)]),
  ) as Value;
}

/** Recurs to that depth and no further. */
export function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}

function textProblems(text: string, path: string): InputProblem[] {
  if (text.includes('\u0000')) return [{ path, message: 'must not hold the character NUL' }];
  return text.isWellFormed()
    ? []
    : [{ path, message: 'must be well-formed Unicode, without half of a surrogate pair' }];
}

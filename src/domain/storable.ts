/** What a value from outside must be free of to be kept and read again. */
import type { InputProblem } from './errors.ts';

/** Deeper than any honest value, shallow enough for recursive readers. */
const DEPTH_LIMIT = 50;
const PROBLEM_LIMIT = 20;

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

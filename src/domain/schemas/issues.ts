/** What a schema found wrong, in plain sentences: the field is the subject, the message the rest. */
import type { z } from 'zod';
import type { InputProblem } from '../errors.ts';

type Issue = z.core.$ZodIssue;

/** One problem a field, unknown fields by their names. `prefix`: what the schema was applied to, e.g. `config`. */
export function problemsOf(error: z.ZodError, prefix = ''): InputProblem[] {
  return error.issues.flatMap((issue) => {
    const path = [prefix, ...issue.path.map(String)].filter((part) => part !== '');
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({
        path: [...path, key].join('.'),
        message: 'is not a field that is known here',
      }));
    return [{ path: path.join('.'), message: sentenceOf(issue) }];
  });
}

/** `path: message`, or the message alone where the value as a whole is meant. */
export function problemText({ path, message }: InputProblem): string {
  return path === '' ? message : `${path}: ${message}`;
}

/** The words of whoever wrote the schema, where there are some. */
function sentenceOf(issue: Issue): string {
  if (!/^(?:Invalid|Too (?:small|big)|Unrecognized)\b/.test(issue.message)) return issue.message;
  if (isMissing(issue)) return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${listed(issue.values.map(String))}`;
    case 'invalid_union':
      return 'options' in issue
        ? `must be ${listed(issue.options.map(String))}`
        : `must fit one of these: ${[...new Set(issue.errors.flatMap(([first]) => (first === undefined ? [] : [sentenceOf(first)])))].join('; ')}`;
    case 'invalid_key':
      return issue.issues[0] === undefined ? 'is not a name that may stand here' : sentenceOf(issue.issues[0]);
    case 'too_small':
      return `must ${SIZES[issue.origin] ?? 'be'} at least ${String(issue.minimum)}${unitOf(issue.origin)}`;
    case 'too_big':
      return `must ${SIZES[issue.origin] ?? 'be'} at most ${String(issue.maximum)}${unitOf(issue.origin)}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'has a form that is not allowed here';
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_element':
    case 'unrecognized_keys':
    case 'custom':
      return 'does not fit';
  }
}

function isMissing(issue: Issue): boolean {
  if (issue.code === 'invalid_union')
    return issue.errors.length > 0 && issue.errors.every(([first]) => first !== undefined && isMissing(first));
  return issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  tuple: 'a list',
  null: 'null',
};
const SIZES: Readonly<Record<string, string>> = { string: 'have', array: 'hold', set: 'hold' };
const FORMATS: Readonly<Record<string, string>> = {
  url: 'must be a URL such as https://example.com',
  email: 'must be an e-mail address',
  datetime: 'must be an ISO-8601 instant in UTC, such as 2026-11-30T12:00:00Z',
  date: 'must be a date such as 2026-11-30',
};

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' || origin === 'set' ? ' items' : '';
}

function listed(options: readonly string[]): string {
  return options.length === 1 ? (options[0] ?? '') : `one of ${options.join(', ')}`;
}

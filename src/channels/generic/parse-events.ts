/** One event or a list of them, as a CRM posts it: each is judged alone, so that one bad event does not cost the others. */
import { InvalidInputError, type InputProblem } from '../../domain/errors.ts';
import type { TenantId } from '../../domain/ids.ts';
import { problemsOf } from '../../domain/schemas/issues.ts';
import { eventSchemaOf, MAX_EVENTS_AT_ONCE, misfitOf, type EventInput } from '../../domain/schemas/events.ts';
import { readJson } from '../raw-json.ts';

export type ParsedEvent =
  | { readonly ok: true; readonly id: string; readonly event: EventInput }
  | {
      readonly ok: false;
      readonly id: string | null;
      readonly body: unknown;
      readonly problems: readonly InputProblem[];
    };

export interface Posted {
  readonly tenant: TenantId;
  readonly body: Uint8Array;
  /** When it came, ms since 1970. */
  readonly now: number;
}

/** In order. @throws {InvalidInputError} for a body that is no JSON, an empty list or one that is too long. */
export function parseEvents({ body, ...post }: Posted): readonly ParsedEvent[] {
  const json = readJson(body);
  if (!json.ok) throw new InvalidInputError([{ path: '', message: json.problem }]);
  const items = Array.isArray(json.value) ? (json.value as unknown[]) : [json.value];
  if (items.length === 0 || items.length > MAX_EVENTS_AT_ONCE)
    throw new InvalidInputError([
      { path: '', message: `must be one event or a list of 1 to ${MAX_EVENTS_AT_ONCE}; this one has ${items.length}` },
    ]);
  return items.map((item) => parseEvent(item, post));
}

function parseEvent(item: unknown, post: Omit<Posted, 'body'>): ParsedEvent {
  const refused = (problems: readonly InputProblem[]) => ({ ok: false, id: idOf(item), body: item, problems }) as const;
  const parsed = eventSchemaOf(item).safeParse(item);
  if (!parsed.success) return refused(problemsOf(parsed.error));
  const misfit = misfitOf(parsed.data, post);
  return misfit === undefined ? { ok: true, id: parsed.data.id, event: parsed.data } : refused([misfit]);
}

function idOf(item: unknown): string | null {
  return typeof item === 'object' && item !== null && 'id' in item && typeof item.id === 'string'
    ? item.id.slice(0, 512)
    : null;
}

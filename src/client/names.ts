/** What every request about a run has in common. */
import { InvalidInputError } from '../domain/errors.ts';
import { parseSlot, parseSubject, parseTenantId, type AttachmentId, type RunRef } from '../domain/ids.ts';
import { unstorable } from '../domain/storable.ts';

/** A run's name, as plain text: checked by every method. */
export interface RunName {
  readonly tenant: string;
  /** `conversation/{id}` or `business`. */
  readonly subject: string;
  /** `answering` for an agent that answers customers, else the agent's key. */
  readonly slot: string;
}

export interface ActOptions {
  /** Who asks: shown to people. */
  readonly actor: string;
  readonly comment?: string | undefined;
  /** Only this attachment is meant. */
  readonly attachment?: string | undefined;
  /** Names this very request, for a caller who may have to repeat it: of two with one name, the second changes nothing. Not for signals. */
  readonly requestId?: string | undefined;
}

/** @throws {InvalidIdError} naming the part. */
export function parseRun(run: RunName): RunRef {
  return { tenant: parseTenantId(run.tenant), subject: parseSubject(run.subject), slot: parseSlot(run.slot) };
}

/** In characters: what the API takes of people, with room for the name of a key before it. */
const LENGTHS = { actor: 400, comment: 1_000 } as const;
/** As the API's bodies; Temporal refuses a message of 2 MB. */
const CONFIG_BYTES = 1024 * 1024;

/** Who asks and what they say, as people are shown it. @throws {InvalidInputError} naming the field: callers need not be TypeScript. */
export function asker({ actor, comment }: { readonly actor: unknown; readonly comment?: unknown }): {
  readonly actor: string;
  readonly comment?: string;
} {
  if (typeof actor !== 'string' || actor.trim() === '') throw refused('actor', 'must say who asks, such as crm/ana');
  if (comment !== undefined && typeof comment !== 'string') throw refused('comment', 'must be text');
  for (const [field, text] of Object.entries({ actor, comment: comment ?? '' })) {
    const most = LENGTHS[field as keyof typeof LENGTHS];
    if (text.length > most) throw refused(field, `must have at most ${most} characters`);
    assertStorable(text, field);
  }
  return given({ actor, comment });
}

/** An agent's configuration, as far as it can be carried: the run checks the rest. @throws {InvalidInputError} naming the field */
export function configuration(told: unknown): unknown {
  if (told === undefined) return {};
  assertStorable(told, 'config');
  try {
    const json = JSON.stringify(told) as string | undefined;
    if (json === undefined) throw refused('config', 'must be JSON');
    if (new TextEncoder().encode(json).byteLength > CONFIG_BYTES)
      throw refused('config', `must have at most ${CONFIG_BYTES} bytes as JSON`);
  } catch (error) {
    // A BigInt, or a `toJSON` that throws.
    throw error instanceof InvalidInputError ? error : refused('config', 'must be JSON');
  }
  return told;
}

function assertStorable(value: unknown, field: string): void {
  const problems = unstorable(value, field);
  if (problems.length > 0) throw new InvalidInputError(problems);
}

export function refused(path: string, message: string): InvalidInputError {
  return new InvalidInputError([{ path, message }]);
}

/** An instant with its zone: what has none means another moment on another machine. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** An instant that is told to a run, in UTC. @throws {InvalidInputError} naming the field. */
export function instant(field: string, told: string): string {
  const at = INSTANT.test(told) ? new Date(told) : new Date(NaN);
  if (Number.isNaN(at.getTime())) throw refused(field, 'must be an ISO-8601 instant such as 2026-03-01T12:00:00Z');
  return at.toISOString();
}

/** As {@link instant}, and still to come. @throws {InvalidInputError} naming the field. */
export function ahead(field: string, told: string): string {
  const at = instant(field, told);
  if (Date.parse(at) <= Date.now()) throw refused(field, 'must lie ahead');
  return at;
}

export function maybeInstant(field: string, told: string | undefined): string | undefined {
  return told === undefined ? undefined : instant(field, told);
}

/** The fields that have a value: messages keep `undefined` out, as JSON does. */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}
type Given<Fields> = { [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key] } & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined>;
};

export function meant(attachment: string | undefined): { attachment?: AttachmentId } {
  return attachment === undefined ? {} : { attachment: attachment as AttachmentId };
}

/** What every request about a run has in common. */
import { parseSlot, parseSubject, parseTenantId, type AttachmentId, type RunRef } from '../domain/ids.ts';

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

/** Facts of a rehearsal, in the form in which the desk hands them to a tick. */
import { InvalidInputError } from '../domain/errors.ts';
import type { TenantId } from '../domain/ids.ts';
import { eventSchemaOf, type MessageContent, type StoredEvent } from '../domain/schemas/events.ts';
import { problemsOf } from '../domain/schemas/issues.ts';

/** As somebody would post it, without what a rehearsal knows by itself. */
export interface Happened {
  readonly type: string;
  readonly data: unknown;
}

export function said(content: MessageContent): Happened {
  return { type: 'message.inbound', data: { content } };
}

/** @throws {InvalidInputError} for an unknown type, and data that does not fit it. */
export function storedEvent(
  { type, data }: Happened,
  { seq, subject, time }: { readonly seq: number; readonly subject: string; readonly time: string },
): StoredEvent {
  const input = { id: `event-${seq}`, source: 'rehearsal', time, subject, type, data };
  const parsed = eventSchemaOf(input).safeParse(input);
  if (!parsed.success) throw new InvalidInputError(problemsOf(parsed.error));
  return { ...parsed.data, tenant: 'rehearsal' as TenantId, key: `rehearsal-${seq}`, seq, storedAt: time };
}

/** How a conversation stands, noted at each look, so that the next one can tell what has changed as a webhook would. */
import { z } from 'zod';
import { personInCharge } from './people.ts';
import type { ConversationPart } from './webhook-schema.ts';

const Note = z.object({ status: z.string(), assignee: z.number().nullable() });
type Note = z.infer<typeof Note>;
type Standing = Pick<z.infer<typeof ConversationPart>, 'status' | 'meta'>;

export function noteOf({ status, meta }: Standing): string {
  return JSON.stringify({ status, assignee: personInCharge({ meta })?.id ?? null } satisfies Note);
}

/**
 * In the form of a webhook's `changed_attributes`. At the first look it is not known how the conversation stood before: that
 * a person has it counts as news, its status does not.
 */
export function changesSince(noted: string | null, standing: Standing): Record<string, object>[] {
  const now = Note.parse(JSON.parse(noteOf(standing)));
  const before = noted === null ? { status: now.status, assignee: null } : Note.parse(JSON.parse(noted));
  return [
    ...(before.status === now.status ? [] : [{ status: change(before.status, now.status) }]),
    ...(before.assignee === now.assignee ? [] : [{ assignee_id: change(before.assignee, now.assignee) }]),
  ];
}

function change(previous_value: unknown, current_value: unknown): object {
  return { previous_value, current_value };
}

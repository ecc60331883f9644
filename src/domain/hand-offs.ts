/**
 * An agent's own hand-off, as the other runs on its conversation are told of it: a human's coming in, by the key of the effect,
 * which names the one run that it does not concern.
 */
import { InvalidIdError } from './errors.ts';
import {
  parseEffectKey,
  type AgentKey,
  type AttachmentId,
  type EffectKey,
  type Subject,
  type WorkflowId,
} from './ids.ts';

export const HAND_OFF_SOURCE = 'hand-off';

/** The event; told twice it is one. @param of.at ISO-8601 UTC */
export function handedOff({
  key,
  subject,
  agent,
  at,
}: {
  key: EffectKey;
  subject: Subject;
  agent: AgentKey;
  at: string;
}) {
  const data = { by: agent, reason: 'handed the conversation to people' };
  return { id: key, source: HAND_OFF_SOURCE, type: 'takeover', time: at, subject, data } as const;
}

/** The run whose hand-off this event tells; null: it tells none. */
export function handedOffBy({
  source,
  id,
}: {
  readonly source: string;
  readonly id: string;
}): { readonly workflowId: WorkflowId; readonly attachment: AttachmentId } | null {
  if (source !== HAND_OFF_SOURCE) return null;
  try {
    return parseEffectKey(id as EffectKey);
  } catch (error) {
    // Anybody may post an event of this source.
    if (error instanceof InvalidIdError) return null;
    throw error;
  }
}

/** The zod forms of the ids, for everything that is parsed from outside. */
import { z } from 'zod';
import {
  CONVERSATION_PATTERN,
  CONVERSATION_RULE,
  EVENT_SUBJECT_RULE,
  NAME_PATTERN,
  NAME_RULE,
  parseEventSubject,
  parseSubject,
  SUBJECT_RULE,
  type AgentKey,
  type ConversationId,
  type EventSubject,
  type Slot,
  type Subject,
  type TenantId,
  type Topic,
} from '../ids.ts';

const name = () => z.string().regex(NAME_PATTERN, { error: `must be ${NAME_RULE}` });

export const TenantIdSchema = name().transform((text) => text as TenantId);
export const AgentKeySchema = name().transform((text) => text as AgentKey);
export const SlotSchema = name().transform((text) => text as Slot);
export const TopicSchema = name().transform((text) => text as Topic);
export const ConversationIdSchema = z
  .string()
  .regex(CONVERSATION_PATTERN, { error: `must be ${CONVERSATION_RULE}` })
  .transform((text) => text as ConversationId);
export const SubjectSchema = z
  .string()
  .refine((text) => parses(() => parseSubject(text)), { error: `must be ${SUBJECT_RULE}` })
  .transform((text) => text as Subject);
/** What an event is about: a subject, or a topic that runs follow. */
export const EventSubjectSchema = z
  .string()
  .refine((text) => parses(() => parseEventSubject(text)), { error: `must be ${EVENT_SUBJECT_RULE}` })
  .transform((text) => text as EventSubject);

function parses(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

/** The zod forms of the ids, for everything that is parsed from outside. */
import { z } from 'zod';
import {
  CONVERSATION_PATTERN,
  CONVERSATION_RULE,
  NAME_PATTERN,
  NAME_RULE,
  parseSubject,
  SUBJECT_RULE,
  type AgentKey,
  type ConversationId,
  type Slot,
  type Subject,
  type TenantId,
} from '../ids.ts';

const name = () => z.string().regex(NAME_PATTERN, { error: `must be ${NAME_RULE}` });

export const TenantIdSchema = name().transform((text) => text as TenantId);
export const AgentKeySchema = name().transform((text) => text as AgentKey);
export const SlotSchema = name().transform((text) => text as Slot);
export const ConversationIdSchema = z
  .string()
  .regex(CONVERSATION_PATTERN, { error: `must be ${CONVERSATION_RULE}` })
  .transform((text) => text as ConversationId);
export const SubjectSchema = z
  .string()
  .refine(isSubject, { error: `must be ${SUBJECT_RULE}` })
  .transform((text) => text as Subject);

function isSubject(text: string): boolean {
  try {
    parseSubject(text);
    return true;
  } catch {
    return false;
  }
}

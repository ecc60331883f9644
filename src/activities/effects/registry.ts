/** Every kind of effect, a line each. */
import type { EffectKind } from '../../domain/schemas/effects.ts';
import type { EffectKindPerformer } from './performer.ts';
import { conversationClose } from './conversation-close.ts';
import { handOff } from './hand-off.ts';
import { investigationOpen } from './investigation-open.ts';
import { messageSend } from './message-send.ts';
import { noteAdd } from './note-add.ts';

export const EFFECTS: Readonly<Record<EffectKind, EffectKindPerformer>> = {
  'message.send': messageSend,
  'conversation.close': conversationClose,
  'conversation.handOff': handOff,
  'note.add': noteAdd,
  'investigation.open': investigationOpen,
};

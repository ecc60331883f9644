/** The lines of a timeline. */
import type { MessageRecord, TimelineEntry } from '../../desk/desk.ts';
import type { EffectKind } from '../../domain/schemas/effects.ts';
import type { EventType } from '../../domain/schemas/events.ts';
import type { Entry } from './entry.ts';

type Act = Extract<TimelineEntry, { readonly entry: 'act' }>['act'];
type Needed =
  | `event.${Exclude<EventType, `custom.${string}`>}`
  | `effect.${EffectKind}`
  | `act.${Act}`
  | `kind.${MessageRecord['kind']}`;

export const recordWords = {
  'tick.name': ['tick {n}', 'tick {n}'],
  'tick.why.due': ['woke: timer', 'despertou: horário'],
  'tick.why.operator': ['woke: somebody asked', 'despertou: alguém pediu'],
  'tick.why.event': ['woke: event', 'despertou: evento'],
  'tick.woke.one': ['woke: {n} event', 'despertou: {n} evento'],
  'tick.woke.other': ['woke: {n} events', 'despertou: {n} eventos'],
  'tick.attempt': ['attempt {n}', 'tentativa {n}'],
  'tick.noModel': ['no model', 'sem modelo'],
  'tick.tokens.one': ['{n} token', '{n} token'],
  'tick.tokens.other': ['{n} tokens', '{n} tokens'],
  'tick.late': ['{time} late', '{time} de atraso'],
  'outcome.reschedule': ['outcome: wakes again', 'resultado: desperta de novo'],
  'outcome.keep': ['outcome: the due time stays', 'resultado: mantém o horário'],
  'outcome.finish': ['outcome: finished, {reason}', 'resultado: terminou, {reason}'],
  'outcome.failed': ['failed: {message}', 'falhou: {message}'],
  'outcome.switched_off': ['switched off by {by}', 'desligado por {by}'],
  'outcome.nothing': ['nothing to do', 'nada a fazer'],
  'effect.message.send': ['send', 'envio'],
  'effect.conversation.close': ['close the conversation', 'fechar a conversa'],
  'effect.conversation.handOff': ['hand off to a person', 'repassar a uma pessoa'],
  'effect.investigation.open': ['open an investigation', 'abrir uma investigação'],
  'effect.note.add': ['note', 'nota'],
  'effect.state.claimed': ['waiting', 'esperando'],
  'effect.state.sending': ['at the provider', 'no provedor'],
  'effect.state.sent': ['done', 'feito'],
  'effect.state.failed': ['failed', 'falhou'],
  'effect.state.unknown': ['nobody knows whether it went out', 'não se sabe se saiu'],
  'effect.state.refused': ['not sent', 'não enviado'],
  'effect.state.arrived': ['not sent again', 'não reenviado'],
  'effect.state.cancelled': ['taken back', 'cancelado'],
  'effect.until': ['until', 'até'],
  'event.message.inbound': ['customer wrote', 'cliente escreveu'],
  'event.message.outbound': ['human wrote', 'humano escreveu'],
  'event.conversation.opened': ['conversation opened', 'conversa aberta'],
  'event.conversation.closed': ['conversation closed', 'conversa fechada'],
  'event.conversation.assigned': ['conversation assigned', 'conversa atribuída'],
  'event.contact.updated': ['contact changed', 'contato alterado'],
  'event.record.changed': ['record changed', 'registro alterado'],
  'event.message.status': ['how far a message came', 'até onde uma mensagem chegou'],
  'event.message.reaction': ['reaction', 'reação'],
  'event.message.edited': ['message edited', 'mensagem editada'],
  'event.message.deleted': ['message deleted', 'mensagem apagada'],
  'event.unreadable': ['unreadable', 'ilegível'],
  'event.takeover': ['taken over', 'assumida'],
  'event.stale': ['too late: meant for another run', 'tarde demais: era para outra execução'],
  'act.attach': ['attached', 'anexou'],
  'act.handback': ['handed back', 'devolveu'],
  'act.takeover': ['took over', 'assumiu'],
  'act.detach': ['detached', 'desanexou'],
  'act.pause': ['paused', 'pausou'],
  'act.resume': ['resumed', 'retomou'],
  'act.snooze': ['snoozed', 'adiou'],
  'act.wake': ['woke it', 'despertou'],
  'kind.text': ['text', 'texto'],
  'kind.media': ['file', 'arquivo'],
  'kind.template': ['template', 'modelo'],
  'kind.choice': ['choice', 'escolha'],
  'kind.form': ['form', 'formulário'],
  'kind.location': ['location', 'localização'],
  'kind.contacts': ['contacts', 'contatos'],
  'kind.order': ['order', 'pedido'],
  'kind.unsupported': ['not readable here', 'não pode ser lida aqui'],
  'act.tooLate': ['after its end', 'depois do fim'],
} as const satisfies Readonly<Record<Needed, Entry>> & Readonly<Record<string, Entry>>;

/** The course of an investigation: refusals, what became of its actions, why it ended. */
import type { Entry } from '../entry.ts';

export const investigationSentences: readonly Entry[] = [
  // A decision, or an answer, that was refused.
  ['it is {@status}', 'está {status}'],
  ['it is {@status}: {@why}', 'está {status}: {why}'],
  ['{actor} approved it at {when}', '{actor} aprovou em {when}'],
  ['{actor} rejected it at {when}', '{actor} rejeitou em {when}'],
  [
    '{person} has approved already, at {when}: another person has to',
    '{person} já aprovou, em {when}: outra pessoa precisa aprovar',
  ],
  ['nothing is proposed; it is {@status}', 'nada está proposto; está {status}'],
  ['the proposal expired at {when}', 'a proposta expirou em {when}'],
  [
    'revision {n} is proposed now: look at it before you decide',
    'a revisão {n} é a proposta agora: olhe antes de decidir',
  ],
  ['the investigation is over', 'a investigação terminou'],
  ['nothing of this step waits for an answer', 'nada deste passo aguarda resposta'],
  ['{kind} does not take a {answer}', '{kind} não aceita {answer}'],
  [
    'it is not acceptable, and the step goes on waiting: {@why}',
    'não é aceitável, e o passo continua esperando: {why}',
  ],
  ['no supplier is asked', 'nenhum fornecedor foi consultado'],
  ['investigating', 'em investigação'],
  ['proposed', 'proposta'],
  ['approved', 'aprovada'],
  ['executing', 'em execução'],
  ['executed', 'executada'],
  ['dismissed', 'sem nada a fazer'],
  ['rejected', 'rejeitada'],
  ['expired', 'expirada'],

  // Why it ended.
  ['nobody decided in time', 'ninguém decidiu a tempo'],
  ['cancelled in Temporal', 'cancelada no Temporal'],
  [
    'what it rests on changed {n} times before it could be carried out',
    'aquilo em que se apoia mudou {n} vezes antes que pudesse ser executada',
  ],
  [
    'what it rests on changed at every try, right before the act; nothing was done',
    'aquilo em que se apoia mudou a cada tentativa, logo antes do ato; nada foi feito',
  ],
  ['stale, nothing is to be done any more: {@why}', 'desatualizada, não há mais nada a fazer: {why}'],
  ['an action failed', 'uma ação falhou'],
  ['{step} failed: {@detail}', '{step} falhou: {detail}'],
  ['undone: {steps}', 'desfeito: {steps}'],
  ['left, to be put right by hand: {@steps}', 'restou, a corrigir à mão: {steps}'],
  ['not known whether done: {steps}', 'não se sabe se feito: {steps}'],
  ['done and not to be undone: {steps}', 'feito e sem como desfazer: {steps}'],
  ['nothing is left of it', 'nada restou'],
  ['no reason given', 'sem motivo informado'],
  ['everything was done; it could not be verified: {@message}', 'tudo foi feito; não pôde ser verificado: {message}'],
  ['every action was done', 'todas as ações foram feitas'],
  [
    'the step {step} must be called in lower-case letters, digits and hyphens',
    'o passo {step} deve ter um nome de letras minúsculas, dígitos e hífens',
  ],
  ['no worker here knows the step {step}', 'nenhum worker aqui conhece o passo {step}'],
  ['no worker here knows how {agent} investigates', 'nenhum worker aqui sabe como {agent} investiga'],
  [
    'tenant {tenant} has no ERP in the configuration: name one',
    'a empresa {tenant} não tem ERP na configuração: defina um',
  ],
  ['the proposal does not fit: {@problems}', 'a proposta não é válida: {problems}'],
  ['took longer than {time}', 'levou mais de {time}'],
  ['the facts of {step} must be an object of plain JSON', 'os fatos de {step} devem ser um objeto JSON simples'],
  [
    'the facts of {step} take {n} bytes as JSON; at most {most}',
    'os fatos de {step} ocupam {n} bytes em JSON; no máximo {most}',
  ],

  // What became of an action.
  ['what it rests on has changed since it was agreed to', 'aquilo em que se apoia mudou desde que foi aprovada'],
  [
    'given up without an answer: whether it was done is not known',
    'desistiu-se sem resposta: não se sabe se foi feita',
  ],
  ['it was given up, and had not been done', 'desistiu-se dela, e não tinha sido feita'],
  ['no earlier step {step} has an accepted offer', 'nenhum passo anterior {step} tem uma oferta aceita'],
  ['no acceptable offer within {time}', 'nenhuma oferta aceitável em {time}'],
  ['no answer within {time}', 'nenhuma resposta em {time}'],
  ['answered no', 'a resposta foi não'],
  ['answered no: {note}', 'a resposta foi não: {note}'],
  ['{n} {currency} a piece, on {day}', '{n} {currency} por peça, em {day}'],
  ['failed before', 'falhou antes'],
  ['it cannot be undone', 'não pode ser desfeita'],
  ['the ERP knows no {kind} {id}', 'o ERP não conhece {kind} {id}'],
  ['was attached already', 'já estava anexado'],
  [
    'looked too long ago: what was tried is looked at anew',
    'faz tempo demais que se olhou: o que foi tentado é olhado de novo',
  ],
  ['a later step of the same proposal failed', 'um passo posterior da mesma proposta falhou'],
  [
    'switched off by {by}: nothing is done until it is on again',
    'desligado por {by}: nada é feito até ser ligado de novo',
  ],

  // What the demo's books refuse.
  ['{supplier} does not sell {product}', '{supplier} não vende {product}'],
  ['{product} is sold from {n}, in packs of {pack}', '{product} é vendido a partir de {n}, em embalagens de {pack}'],
  ['{product} costs {n} {currency}', '{product} custa {n} {currency}'],
  ['another shipment was sent in place of {id}', 'outro envio foi feito em lugar de {id}'],
  ['{id} is {@status}, not {wanted}', '{id} está {status}, não {wanted}'],
  ['the key stands for another command', 'a chave vale para outro comando'],
];

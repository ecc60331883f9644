/** Why a run waits, failed or ended, and what became of what was sent: of runs, events and webhooks. */
import type { Entry } from '../entry.ts';

export const runSentences: readonly Entry[] = [
  // Why it is due when it is.
  ['attached', 'anexada'],
  ['first run', 'primeira execução'],
  ['first run, spread by jitter', 'primeira execução, espalhada'],
  ['first run, asked for at the attach', 'primeira execução, pedida ao anexar'],
  ['asked for by the agent', 'pedido pelo agente'],
  ['snoozed by {actor}', 'adiado por {actor}'],
  ['postponed, provider outage since {since}: {@message}', 'adiado, queda de um provedor desde {since}: {message}'],
  ['failed {n} of {most}: {@message}', 'falhou {n} de {most}: {message}'],

  // Of the agents that come along.
  ['Lead qualification', 'Qualificação de leads'],
  ['Follow-up', 'Retomada de contato'],
  ['Appointment reminder', 'Lembrete de horário'],
  ['Says one thing', 'Diz uma coisa'],
  ['Duplicate payments', 'Pagamentos duplicados'],
  ['Late shipments', 'Envios atrasados'],
  ['Overdue invoices', 'Faturas vencidas'],
  ['Stalled deals', 'Negócios parados'],
  ['Stock-outs', 'Rupturas de estoque'],
  ['looks again', 'olha de novo'],
  ['has more to look at', 'tem mais para olhar'],
  ['gives up if there is no reply', 'desiste se não houver resposta'],
  ['message {n} of {most} if there is no reply', 'mensagem {n} de {most} se não houver resposta'],
  ['the last reminder', 'o último lembrete'],
  ['a reminder, with {n} after it', 'um lembrete, com mais {n} depois'],
  ['no time to remind was left', 'não restava hora para lembrar'],
  ['gives up if the customer stays silent', 'desiste se o cliente continuar em silêncio'],
  ['follow-up {n} of {most} if the customer stays silent', 'retomada {n} de {most} se o cliente continuar em silêncio'],
  ['the customer asked for a person', 'o cliente pediu uma pessoa'],
  ['the customer is not interested', 'o cliente não tem interesse'],
  ['no reply to {n} messages', 'nenhuma resposta a {n} mensagens'],
  ['no answer after {n} follow-ups', 'nenhuma resposta depois de {n} retomadas'],
  ['a message could not be sent: {reason}', 'uma mensagem não pôde ser enviada: {reason}'],

  // Why it ended, or was refused.
  ['system', 'sistema'],
  ['agent', 'agente'],
  ['a human holds the conversation', 'um humano está com a conversa'],
  ['the conversation is closed', 'a conversa está fechada'],
  ['handed the conversation to people', 'repassou a conversa a pessoas'],
  ['no human wrote for {time}', 'nenhum humano escreveu por {time}'],
  ['{n} messages', '{n} mensagens'],
  ['{n} ticks', '{n} ticks'],
  ['its workflow is gone: {@how}', 'o workflow sumiu: {how}'],
  [
    'its workflow is gone: {@how}; what it has begun may be done, look at its actions',
    'o workflow sumiu: {how}; o que começou talvez esteja feito, veja suas ações',
  ],
  ['another one has its place', 'outro está no seu lugar'],
  ['unknown to Temporal', 'desconhecido pelo Temporal'],
  ['completed', 'concluído'],
  ['failed', 'falhou'],
  ['terminated', 'encerrado à força'],
  ['timed_out', 'tempo esgotado'],
  ['cancelled', 'cancelado'],
  ['tenant {tenant} is not in the configuration', 'a empresa {tenant} não está na configuração'],
  [
    "{field} is not in the configuration, and {agent} reads the tenant's ERP",
    '{field} não está na configuração, e {agent} lê o ERP da empresa',
  ],
  ["tenant {tenant} is not in this worker's configuration", 'a empresa {tenant} não está na configuração deste worker'],
  ['the first state of {agent}: {@message}', 'o primeiro estado de {agent}: {message}'],

  // Why a wake-up cannot begin, or failed.
  ['no worker here knows the agent {agent}', 'nenhum worker aqui conhece o agente {agent}'],
  [
    'no worker here knows the agent {agent} in version {version}',
    'nenhum worker aqui conhece o agente {agent} na versão {version}',
  ],
  [
    "{field} is not in this worker's configuration, and {agent} reads the tenant's ERP: add it, or detach the run",
    '{field} não está na configuração deste worker, e {agent} lê o ERP da empresa: adicione, ou desanexe a execução',
  ],
  ['{agent} cannot read {@what}: {@remedy}', '{agent} não consegue ler {what}: {remedy}'],
  ['a state of version {version}', 'um estado da versão {version}'],
  ['the configuration of version {version}', 'a configuração da versão {version}'],
  ['deploy one that can, by a `migrate` in the agent', 'publique uma versão que consiga, com um `migrate` no agente'],
  [
    'deploy one that can, by an optional field or a default for what is missing',
    'publique uma versão que consiga, com um campo opcional ou um valor padrão para o que falta',
  ],
  ['worker shutting down', 'o worker está sendo desligado'],
  ['the wake-up was cancelled', 'o despertar foi cancelado'],
  ['tick timed out: {@message}', 'o tick passou do tempo: {message}'],
  ['longer than {time}', 'mais de {time}'],
  ['crash loop: {@message}', 'queda repetida: {message}'],
  ['{n} attempts in a row died without a word', '{n} tentativas seguidas morreram sem dizer nada'],
  ['provider outage: {@message}', 'queda de um provedor: {message}'],
  ['invalid outcome, {rule}: {@message}', 'resultado inválido, {rule}: {message}'],

  // An agent's outcome that breaks a rule; a word for its author may follow.
  // With the line of the agent's own code.
  ['{@message} ({file}:{#line})', '{message} ({file}:{line})'],
  ['unknown effect', 'efeito desconhecido'],
  ['"{field}" is not known here: {known}', '"{field}" não é conhecido aqui: {known}'],
  ['the next run must be {@what}', 'a próxima execução deve ser {what}'],
  [
    'the next run must be at least {n} ms away, not {given}',
    'a próxima execução deve estar a pelo menos {n} ms, não {given}',
  ],
  [
    'the next run must be at most 400 days away, not {given}',
    'a próxima execução deve estar a no máximo 400 dias, não {given}',
  ],
  ['{when} has passed; it is {now}', '{when} já passou; agora é {now}'],
  ['"in" must be {@what}', '"in" deve ser {what}'],
  ['the due time {when} has passed: say when to run next', 'o horário {when} já passou: diga quando executar de novo'],
  ['an end needs a status: {choices}', 'um término precisa de um status: {choices}'],
  [
    '{status} is no status a run can end with: {choices}',
    '{status} não é um status com que uma execução termina: {choices}',
  ],
  [
    'an agent may not end as {status} with reason {reason}: {choices}',
    'um agente não pode terminar como {status} com o motivo {reason}: {choices}',
  ],
  ['state must be an object', 'state deve ser um objeto'],
  ['{path} must be plain JSON, not {@what}', '{path} deve ser JSON simples, não {what}'],
  ['nested more than {n} deep, or circular', 'com mais de {n} níveis, ou circular'],
  [
    'state takes {n} bytes as JSON; at most {most}. Keep transcripts in the desk',
    'o estado ocupa {n} bytes em JSON; no máximo {most}. Deixe as conversas no registro',
  ],
  ['effects must be an array', 'effects deve ser uma lista'],
  ['{n} effects; at most {most} in one outcome', '{n} efeitos; no máximo {most} em um resultado'],
  ['effects take {n} bytes as JSON; at most {most}', 'os efeitos ocupam {n} bytes em JSON; no máximo {most}'],
  [
    'a hand-off gives the conversation to people: finish with it (COMPLETED, handed_off), or set onHumanMessage to ignore in the agent’s policy',
    'um repasse entrega a conversa a pessoas: termine com ele (COMPLETED, handed_off), ou defina onHumanMessage como ignore na política do agente',
  ],
  ['{path} must be the key of a pending effect', '{path} deve ser a chave de um efeito pendente'],
  ['{path} must be text', '{path} deve ser texto'],
  ['a tick must return reschedule({…}) or finish({…})', 'um tick deve retornar reschedule({…}) ou finish({…})'],
  [
    'say when to run next, by exactly one of in ("6h"), at (an instant) and keep (true)',
    'diga quando executar de novo, por exatamente um entre in ("6h"), at (um instante) e keep (true)',
  ],
  [
    '"{field}" belongs to the other outcome: a tick either reschedules or finishes',
    '"{field}" pertence ao outro resultado: um tick ou reagenda ou termina',
  ],

  // Events that could not be delivered, and webhooks.
  ['meant for another attachment', 'era para outra anexação'],
  ['the run has ended', 'a execução terminou'],
  ['the endpoint is no longer in the configuration', 'o destino não está mais na configuração'],
  ['endpoint', 'o próprio destino'],
  ['answered 410 Gone', 'respondeu 410 Gone'],
  ['the endpoint is switched off', 'o destino está desligado'],
  [
    'HTTP {status}: redirects are not followed; name the final address',
    'HTTP {status}: redirecionamentos não são seguidos; indique o endereço final',
  ],
  ['no answer within {n} s', 'sem resposta em {n} s'],
  ['the connection was closed without an answer', 'a conexão foi fechada sem resposta'],
  ['no answer in {n} s', 'sem resposta em {n} s'],
  ['no answer', 'sem resposta'],
  ['{address} is an address no webhook may be sent to', '{address} é um endereço para o qual nenhum webhook pode ir'],
  [
    '{address} is a private address; set allowPrivateNetwork: true on the endpoint if it is meant',
    '{address} é um endereço privado; defina allowPrivateNetwork: true no destino se for intencional',
  ],

  // Health's remedies.
  ['missing: {names}; run attache doctor --fix', 'faltam: {names}; rode attache doctor --fix'],
];

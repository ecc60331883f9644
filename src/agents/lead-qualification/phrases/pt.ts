import type { Phrases } from './phrases.ts';

export const pt: Phrases = {
  hello: (business) => `Olá! Sou o assistente automático de ${business}.`,
  thanks: 'Obrigado!',
  noPrices: 'Não consigo informar preços por aqui: uma pessoa da equipe vai responder a você sobre isso.',
  passedOn: 'Isso eu não sei responder, então vou passar para a equipe: uma pessoa vai responder a você.',
  isRobot: (business) =>
    `Sim, sou um assistente automático de ${business}. Se preferir falar com uma pessoa, é só dizer.`,
  textOnly: 'Desculpe, eu só consigo ler mensagens de texto.',
  clarify: {
    text: 'Pode me contar em poucas palavras?',
    number: 'Desculpe, não entendi. Pode escrever um só número?',
    choice: 'Desculpe, não entendi. Escolha uma destas opções:',
    email: 'Desculpe, isso não parece um e-mail. Pode escrever de novo?',
    phone: 'Desculpe, isso não parece um telefone. Pode escrever de novo, com o DDD?',
    date: 'Desculpe, não sei bem qual é a data. Pode escrever como 24 de dezembro de 2026?',
    when: 'Desculpe, não entendi para quando. Pode ser um dia, uma semana ou um mês.',
    yesNo: 'Desculpe, não entendi. É sim ou não?',
  },
  followUps: [
    'Passando para saber: você ainda está aí?',
    'Sei que a correria é grande. Quando puder:',
    'Não quero incomodar, então este é o meu último lembrete.',
  ],
  done: 'Obrigado, era tudo de que eu precisava! Passei as suas respostas para a equipe: uma pessoa vai falar com você.',
  handedOff: 'Claro! Estou passando você para a equipe: uma pessoa vai responder por aqui.',
  goodbye: 'Tudo bem, não escrevo mais. Se precisar de algo depois, é só mandar uma mensagem.',
  note: {
    person: 'O cliente pede para falar com uma pessoa.',
    done: 'Contato qualificado.',
    gaveUp: 'O cliente parou de responder.',
    answers: 'Respostas',
    unclear: 'pouco claro, nas palavras dele',
    open: 'Sem resposta',
    asked: 'O cliente perguntou',
  },
};

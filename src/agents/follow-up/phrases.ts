/** What is said to a quiet lead, per language; the first, those in between, and the last. */
import type { Language } from '../language.ts';

export interface FollowUpPhrases {
  first(business: string): string;
  next(business: string): string;
  last(business: string): string;
}

export const PHRASES: Readonly<Record<Language, FollowUpPhrases>> = {
  en: {
    first: (business) =>
      `Hello! This is the automated assistant of ${business}. We talked a while ago: are you still interested? Just answer here and a person will read it.`,
    next: (business) =>
      `Hello, the automated assistant of ${business} again. Can we help you with anything? Just answer here.`,
    last: (business) =>
      `Hello from the automated assistant of ${business}. This is my last message, so as not to bother you. Whenever you need us, just write here.`,
  },
  pt: {
    first: (business) =>
      `Olá! Aqui é o assistente automático de ${business}. Conversamos há algum tempo: você ainda tem interesse? É só responder por aqui, que uma pessoa vai ler.`,
    next: (business) =>
      `Olá, é o assistente automático de ${business} de novo. Podemos ajudar em algo? É só responder por aqui.`,
    last: (business) =>
      `Olá do assistente automático de ${business}. Esta é a minha última mensagem, para não incomodar. Quando precisar, é só escrever por aqui.`,
  },
  es: {
    first: (business) =>
      `¡Hola! Soy el asistente automático de ${business}. Hablamos hace un tiempo: ¿sigue interesado? Responda por aquí y una persona lo leerá.`,
    next: (business) =>
      `Hola, soy de nuevo el asistente automático de ${business}. ¿Podemos ayudarle en algo? Responda por aquí.`,
    last: (business) =>
      `Hola del asistente automático de ${business}. Este es mi último mensaje, para no molestarle. Cuando nos necesite, escriba por aquí.`,
  },
};

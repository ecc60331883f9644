/** How a customer is reminded, per language. */
import type { Language } from '../language.ts';

export interface ReminderPhrases {
  /** For `Intl`. */
  readonly locale: string;
  /** What it is about where nobody has said. */
  readonly appointment: string;
  reminder(business: string, what: string): string;
}

export const PHRASES: Readonly<Record<Language, ReminderPhrases>> = {
  en: {
    locale: 'en-GB',
    appointment: 'your appointment',
    reminder: (business, what) =>
      `Hello! This is the automated assistant of ${business}, with a reminder: ${what}. If you cannot come, just answer here and a person will read it.`,
  },
  pt: {
    locale: 'pt-BR',
    appointment: 'seu horário marcado',
    reminder: (business, what) =>
      `Olá! Aqui é o assistente automático de ${business}, com um lembrete: ${what}. Se não puder vir, é só responder por aqui, que uma pessoa vai ler.`,
  },
  es: {
    locale: 'es',
    appointment: 'su cita',
    reminder: (business, what) =>
      `¡Hola! Soy el asistente automático de ${business}, con un recordatorio: ${what}. Si no puede venir, responda por aquí y una persona lo leerá.`,
  },
};

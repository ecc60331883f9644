/** The languages the built-in agents speak, and how they choose one: a small list of words, no model. */
import { z } from 'zod';
import type { ConversationView } from './define-agent.ts';

const LANGUAGES = ['en', 'pt', 'es'] as const;
export const Language = z.enum(LANGUAGES);
export type Language = z.infer<typeof Language>;

/** One text for everybody, or one per language. */
export const LocalText = z.union([
  z.string().min(1).max(500),
  z
    .strictObject({
      en: z.string().min(1).max(500).optional(),
      pt: z.string().min(1).max(500).optional(),
      es: z.string().min(1).max(500).optional(),
    })
    .refine((texts) => Object.keys(texts).length > 0, { error: 'needs a text in at least one of en, pt and es' }),
]);
export type LocalText = z.infer<typeof LocalText>;

/** The text in this language, else in English, else in whichever there is. */
export function textIn(text: LocalText, language: Language): string {
  if (typeof text === 'string') return text;
  return text[language] ?? text.en ?? text.pt ?? text.es ?? '';
}

/** Frequent words that the other two do not share. */
const WORDS: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: new Set(
    'hi hello hey the is are you how much what when where i my need want would like please thanks thank good morning afternoon evening yes and for with can'.split(
      ' ',
    ),
  ),
  pt: new Set(
    'oi ola voce voces quanto custa obrigado obrigada eu meu minha quero queria preciso gostaria bom boa dia tarde noite tudo bem nao sim e uma um com por tem preco valor qual'.split(
      ' ',
    ),
  ),
  es: new Set(
    'hola usted ustedes cuanto cuesta gracias yo mi quiero quisiera necesito buenos buenas dias tardes noches el la los una un con por tiene precio cual si y estoy'.split(
      ' ',
    ),
  ),
};

/** What the contact's settings say, e.g. `pt-BR` or `es_MX`; undefined when that is none of ours. */
export function languageOfLocale(locale: string | null | undefined): Language | undefined {
  const prefix = locale?.toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find((language) => language === prefix);
}

/** The language most of the known words belong to; undefined when none stands out. */
export function languageOfWords(text: string): Language | undefined {
  const words = plain(text).split(' ');
  const scores = LANGUAGES.map((language) => ({
    language,
    score: words.filter((word) => WORDS[language].has(word)).length,
  }));
  const [best, second] = scores.sort((a, b) => b.score - a.score);
  return best !== undefined && second !== undefined && best.score > second.score ? best.language : undefined;
}

/** The contact's, by their settings or by their last words; else `fallback`. */
export async function languageSpoken(conversation: ConversationView | null, fallback: Language): Promise<Language> {
  const known = languageOfLocale(conversation?.contact?.locale);
  if (known !== undefined) return known;
  const transcript = (await conversation?.messages({ limit: 20 })) ?? [];
  const words = transcript.filter(({ direction }) => direction === 'in').map(({ text }) => text ?? '');
  return languageOfWords(words.join(' ')) ?? fallback;
}

/** Lower case, no accents, words and numbers only, single spaces: how phrases are compared. Keeps `@`, `+` and `$` out. */
export function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{Letter}\p{Number}]+/gu, ' ')
    .trim();
}

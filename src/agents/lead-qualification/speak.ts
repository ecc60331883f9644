/** Puts words together: one message out of its parts, in the customer's language. */
import type { Tick } from '../define-agent.ts';
import { languageOfLocale, textIn, type Language } from '../language.ts';
import type { Config, Question, State } from './schemas.ts';
import { PHRASES } from './phrases/by-language.ts';
import type { Phrases } from './phrases/phrases.ts';

export interface Speaker {
  readonly language: Language;
  readonly phrases: Phrases;
}

/** The contact's locale, else the customer's own words, else the configuration. */
export function speakerOf(tick: Tick<Config, State>, state: State): Speaker {
  const language = languageOfLocale(tick.conversation?.contact?.locale) ?? state.language ?? tick.config.language;
  return { language, phrases: PHRASES[language] };
}

export function message(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null).join('\n');
}

/** The question, with what may be chosen; asked again, with what kind of answer helps. */
export function ask(question: Question, { language, phrases }: Speaker, { again = false } = {}): string {
  const text = textIn(question.text, language);
  const choices = question.choices?.map((choice, n) => `${n + 1}. ${textIn(choice, language)}`) ?? [];
  return [...(again ? [phrases.clarify[question.kind]] : []), text, ...choices].join('\n');
}

/** "My last reminder" is only said of the last one. */
export function followUpText({ phrases }: Speaker, sent: number, most: number): string {
  const { followUps } = phrases;
  const last = followUps.length - 1;
  const at = sent + 1 === most && most > 1 ? last : Math.min(sent, last - 1);
  return followUps[at] ?? followUps[0];
}

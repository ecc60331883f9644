/** What counts as an answer to a question of each kind. Pure rules: the same words give the same answer. */
import { plain, textIn, type Language, type LocalText } from '../language.ts';
import type { Question } from './schemas.ts';
import { dateIn } from './dates.ts';
import { numberIn } from './numbers.ts';
import { speaksOfTime } from './times.ts';

export interface Listening {
  readonly language: Language;
  /** The contact's own date, `YYYY-MM-DD`. */
  readonly today: string;
}

const EMAIL = /[\p{Letter}\d._%+-]+@[\p{Letter}\d-]+(?:\.[\p{Letter}\d-]+)+/iu;
const PHONE = /(?<![\d/-])\+?\(?\d[\d\s().-]{5,20}\d(?![\d/-])/;
/** Digits of a phone number: the shortest local ones, and the longest of E.164. */
const [MIN_DIGITS, MAX_DIGITS] = [7, 15];
/** A number nobody asked for is only taken for a phone when it could hardly be anything else. */
const MIN_DIGITS_UNASKED = 10;
/** Shorter choices ("no", "car") stand in too many sentences. */
const MIN_LETTERS_UNASKED = 4;
const YES = words(
  'yes yeah yep yup sure ok okay correct right absolutely definitely sim claro certo isso com si correcto exacto quero quiero',
);
const NO = words('no nope not never nao nunca nem jamas tampoco');

/** The answer in its plain form, or null when the words hold none, or more than one. */
export function recognise(question: Question, text: string, listening: Listening): string | null {
  switch (question.kind) {
    case 'text':
      return plain(text) === '' ? null : text.trim();
    case 'number':
      return numberIn(text);
    case 'choice':
      return choiceIn(question, text, { asked: true });
    case 'email':
      return emailIn(text);
    case 'phone':
      return phoneIn(text, MIN_DIGITS);
    case 'date':
      return dateIn(text, listening);
    case 'when':
      return speaksOfTime(text) ? text.trim() : null;
    case 'yesNo':
      return yesOrNo(text);
  }
}

/** An answer to a question that has not been put yet: only what can be nothing else. */
export function volunteered(question: Question, text: string): string | null {
  switch (question.kind) {
    case 'email':
      return emailIn(text);
    case 'phone':
      return phoneIn(text, MIN_DIGITS_UNASKED);
    case 'choice':
      return choiceIn(question, text, { asked: false });
    case 'text':
    case 'number':
    case 'date':
    case 'when':
    case 'yesNo':
      return null;
  }
}

/** Is the whole message one of the choices, word for word? */
export function isChoice(question: Question, text: string): boolean {
  return question.choices?.some((choice) => formsOf(choice).includes(plain(text))) ?? false;
}

/** The text without addresses and numbers that were taken out of it, and without the words that only introduced them. */
export function remainder(text: string): string {
  const rest = text
    .replace(EMAIL, ' ')
    .replace(PHONE, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s,;:.-]+|[\s,;:-]+$/g, '');
  return plain(rest)
    .split(' ')
    .every((word) => INTRODUCING.has(word))
    ? ''
    : rest;
}
const INTRODUCING = words(
  'my the is its and or here email mail e phone number whatsapp mobile cell meu o a telefone celular numero aqui mi es el la y correo electronico telefono movil este ese',
).add('');

function emailIn(text: string): string | null {
  return EMAIL.exec(text)?.[0].toLowerCase() ?? null;
}

function phoneIn(text: string, least: number): string | null {
  const found = PHONE.exec(text)?.[0].trim();
  const digits = found?.replace(/\D/g, '') ?? '';
  if (found === undefined || digits.length < least || digits.length > MAX_DIGITS) return null;
  return found.startsWith('+') ? `+${digits}` : digits;
}

function yesOrNo(text: string): string | null {
  const said = plain(text).split(' ');
  const [yes, no] = [said.some((word) => YES.has(word)), said.some((word) => NO.has(word))];
  // "No, I'm not sure" says no to the question, whatever words of assent follow it.
  if (no && (NO.has(said[0] ?? '') || !yes)) return 'no';
  return yes && !no ? 'yes' : null;
}

/**
 * By its words, by being the only choice that shares them, or (when asked) by its number in the list. The answer is the
 * choice in English, or as it is written: the same choice is the same answer in every language.
 */
function choiceIn(question: Question, text: string, { asked }: { asked: boolean }): string | null {
  const choices = question.choices ?? [];
  const said = plain(text);
  const only = (matches: (form: string) => boolean): string | undefined => {
    const found = choices.filter((choice) => formsOf(choice).some(matches));
    return found.length === 1 && found[0] !== undefined ? textIn(found[0], 'en') : undefined;
  };
  const exact = only((form) => form === said);
  if (exact !== undefined) return exact;
  const named = only((form) => (asked || form.length >= MIN_LETTERS_UNASKED) && ` ${said} `.includes(` ${form} `));
  if (named !== undefined) return named;
  if (!asked || said === '') return null;
  const numbered = choices[Number(/^(?:number |numero |opcao |opcion |option )?(\d{1,2})$/.exec(said)?.[1] ?? 0) - 1];
  return only((form) => ` ${form} `.includes(` ${said} `)) ?? (numbered === undefined ? null : textIn(numbered, 'en'));
}

function formsOf(choice: LocalText): readonly string[] {
  return (typeof choice === 'string' ? [choice] : Object.values(choice).filter((form) => form !== undefined)).map(
    plain,
  );
}

function words(list: string): Set<string> {
  return new Set(list.split(' '));
}

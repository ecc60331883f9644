/** Numbers as people type them in English, Portuguese and Spanish. */
import { plain } from '../language.ts';

const WORDS: readonly (readonly string[])[] = [
  ['zero', 'none', 'cero', 'nenhum', 'nenhuma', 'ninguno', 'ninguna'],
  ['one', 'um', 'uma', 'uno', 'una'],
  ['two', 'dois', 'duas', 'dos'],
  ['three', 'tres'],
  ['four', 'quatro', 'cuatro'],
  ['five', 'cinco'],
  ['six', 'seis'],
  ['seven', 'sete', 'siete'],
  ['eight', 'oito', 'ocho'],
  ['nine', 'nove', 'nueve'],
  ['ten', 'dez', 'diez'],
];
const DIGITS = /(?<![\p{Letter}\d.,])\d+(?:[.,]\d+)*(?:\s*(?:k|mil|thousand)(?!\p{Letter}))?/giu;

/** The one number in a text, plain (`1500`, `2.5`): digits, else a word up to ten. Null when there is none, or several. */
export function numberIn(text: string): string | null {
  const found = [...text.matchAll(DIGITS)].map(([digits]) => valueOf(digits));
  if (found.length > 1 || found.some((value) => !Number.isFinite(value))) return null;
  if (found[0] !== undefined) return String(found[0]);
  const words = plain(text)
    .split(' ')
    .map((word) => WORDS.findIndex((names) => names.includes(word)))
    .filter((value) => value >= 0);
  return words.length === 1 ? String(words[0]) : null;
}

/** `1.500,50` and `1,500.50` and `1.500` and `10k`: the last separator is a decimal one unless three digits follow it. */
function valueOf(text: string): number {
  const thousands = /(?:k|mil|thousand)$/i.test(text) ? 1_000 : 1;
  const digits = text.replace(/[^\d.,]/g, '');
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (last < 0) return Number(digits) * thousands;
  const separator = digits.charAt(last);
  const tail = digits.slice(last + 1);
  const several = digits.indexOf(separator) !== last;
  const whole = digits.slice(0, last).replace(/[.,]/g, '');
  const value = several || tail.length === 3 ? Number(whole + tail) : Number(`${whole}.${tail}`);
  return value * thousands;
}

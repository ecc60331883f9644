/** Long text in parts that each fit one message: cut where a reader would pause, never inside a character. */

/** Borders to prefer, best first: between paragraphs, lines, sentences, words. */
const BORDERS = [/\n\s*\n/g, /\n/g, /[.!?…。！？]["')\]]*\s/g, /\s/g];
/** A border in the first half would make many small parts; then a worse one further on is taken. */
const EARLIEST = 0.5;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * The parts in order, none longer than `limit` UTF-16 units, none empty; white space at the borders goes. A single
 * character (a family emoji, say) that is longer than the limit is cut where it must be.
 */
export function splitText(text: string, limit: number): readonly string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > limit) {
    const end = cutAt(rest, limit);
    parts.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return rest === '' ? parts : [...parts, rest];
}

function cutAt(text: string, limit: number): number {
  // One more unit may be looked at: a border that is exactly at the limit is white space that goes.
  const head = text.slice(0, limit + 1);
  for (const border of BORDERS) {
    const ends = [...head.matchAll(border)].map((match) => match.index + match[0].trimEnd().length);
    const last = ends.filter((end) => end <= limit && end >= limit * EARLIEST).at(-1);
    if (last !== undefined) return last;
  }
  return graphemeBorder(text, limit);
}

/** The last border between characters at or before `limit`; only where the first one is longer, `limit` itself. */
function graphemeBorder(text: string, limit: number): number {
  let border = 0;
  // The character that spans the limit shows only when text beyond it is seen.
  for (const { index } of graphemes.segment(text.slice(0, limit + 100))) {
    if (index > limit) break;
    border = index;
  }
  return border === 0 ? limit : border;
}

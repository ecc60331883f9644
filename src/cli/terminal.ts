/** Where a command writes: handed in, so that tests read it. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Characters in a line; undefined when nobody looks (a pipe): then nothing is cut. */
  readonly columns: number | undefined;
  /** Lines of it. */
  readonly rows?: number | undefined;
}

/** Text from outside, safe to show: control characters could rewrite the screen. */
export function plain(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** What was done, and yet may not be what was meant. */
export function warn({ terminal }: { readonly terminal: Pick<Terminal, 'err'> }, answer: unknown): void {
  const { warning } = (answer ?? {}) as { readonly warning?: string | null };
  if (warning != null) terminal.err(`warning: ${plain(warning)}\n`);
}

const GAP = '  ';
const NARROWEST = 8;

/**
 * Rows under their headings, cut to the terminal. The first column is the name that is typed next: it gives way last.
 * @param spare headings of columns to leave out where there is no room for all, the first of them first.
 */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | undefined,
  spare: readonly string[] = [],
): string {
  const lines = [headings, ...rows].map((row) => row.map(plain));
  const widths = headings.map((_, at) => Math.max(...lines.map((row) => Array.from(row[at] ?? '').length)));
  const excess = sum(widths) + GAP.length * (headings.length - 1) - (columns ?? Infinity);
  const [dropped] = spare;
  if (excess > 0 && dropped !== undefined) {
    const kept = (row: readonly string[]) => row.filter((_, at) => headings[at] !== dropped);
    return table(kept(headings), rows.map(kept), columns, spare.slice(1));
  }
  narrow(widths, excess);
  return lines
    .map(
      (row) =>
        `${row
          .map((cell, at) => fit(cell, widths[at] ?? 0))
          .join(GAP)
          .trimEnd()}\n`,
    )
    .join('');
}

/** The widest gives way first, and the first column only once no other can. */
function narrow(widths: number[], excess: number): void {
  for (let more = excess; more > 0; more -= 1) {
    const others = Math.max(...widths.slice(1));
    const at = others > NARROWEST ? widths.indexOf(others, 1) : 0;
    if ((widths[at] ?? 0) <= NARROWEST) return;
    widths[at] = (widths[at] ?? 0) - 1;
  }
}

/** `name  value` lines, values aligned. */
export function fields(entries: readonly (readonly [string, string])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}${GAP}${plain(value)}\n`).join('');
}

function fit(cell: string, width: number): string {
  const characters = Array.from(cell);
  return characters.length <= width
    ? cell + ' '.repeat(width - characters.length)
    : `${characters.slice(0, width - 1).join('')}…`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

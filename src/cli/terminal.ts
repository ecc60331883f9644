/** Where a command writes: handed in, so that tests read it. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Characters in a line; undefined when nobody looks (a pipe): then nothing is cut. */
  readonly columns: number | undefined;
  /** Lines of it. */
  readonly rows?: number | undefined;
}

/** Text from outside, safe to show: control characters could rewrite the screen, and those that turn the direction of writing the line. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, ' ');
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

/** What a table does without where there is no room for all. */
export interface Spare {
  /** Headings of columns to leave out, the first of them first. */
  readonly spare?: readonly string[];
  /** Of the ids in the first column, their beginnings will do. */
  readonly beginningsDo?: boolean;
}

/**
 * Rows under their headings, cut to the terminal. The first column is the name that is typed next: it gives way last.
 * What is told as well in fewer characters gives way before anything else does.
 */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | undefined,
  { spare = [], beginningsDo = false }: Spare = {},
): string {
  const whole = [headings, ...rows].map((row) => row.map(plain));
  const isTooWide = excessOf(widthsOf(whole), columns) > 0;
  const lines = isTooWide ? whole.map((row) => row.map((cell, at) => shorter(cell, at === 0 && beginningsDo))) : whole;
  const widths = widthsOf(lines);
  const excess = excessOf(widths, columns);
  const [dropped] = spare;
  if (excess > 0 && dropped !== undefined) {
    const kept = (row: readonly string[]) => row.filter((_, at) => headings[at] !== dropped);
    return table(kept(headings), rows.map(kept), columns, { spare: spare.slice(1), beginningsDo });
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

function widthsOf(lines: readonly (readonly string[])[]): number[] {
  return (lines[0] ?? []).map((_, at) => Math.max(...lines.map((row) => Array.from(row[at] ?? '').length)));
}

function excessOf(widths: readonly number[], columns: number | undefined): number {
  return sum(widths) + GAP.length * (widths.length - 1) - (columns ?? Infinity);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z$/;

/** An instant to the second; of a UUID its first part. */
function shorter(cell: string, beginningDoes: boolean): string {
  return beginningDoes && UUID.test(cell) ? cell.slice(0, 8) : cell.replace(INSTANT, '$1Z');
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

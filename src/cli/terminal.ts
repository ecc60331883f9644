/** Where a command writes: handed in, so that tests read it. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Characters in a line; undefined when nobody looks (a pipe): then nothing is cut. */
  readonly columns: number | undefined;
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

/** Rows under their headings, cut to the terminal: the widest columns give way first. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | undefined,
): string {
  const lines = [headings, ...rows].map((row) => row.map(plain));
  const widths = headings.map((_, at) => Math.max(...lines.map((row) => Array.from(row[at] ?? '').length)));
  const room = (columns ?? Infinity) - GAP.length * (headings.length - 1);
  for (let excess = sum(widths) - room; excess > 0; excess -= 1) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
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

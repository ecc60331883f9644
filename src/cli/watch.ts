/** `--watch`: the same question again and again, and its answer wherever that changes. */
import type { Command } from 'commander';
import type { Context } from './context.ts';
import { durationOption } from './names.ts';
import { usage } from './outcome.ts';

export interface WatchOption {
  readonly watch?: string | true | undefined;
}

const EVERY = '2s';
/** A server is not to be asked without a pause. */
const SHORTEST_MS = 1_000;
/** The pointer to the corner, and nothing below it: what scrolled away stays. */
const ANEW = '\u001b[H\u001b[J';

export function watchable(command: Command): Command {
  return command.option('--watch [duration]', `again every ${EVERY}, until Ctrl-C`);
}

/** Without `--watch`, `show` runs once. What it writes is shown when it differs from before. @throws what `show` throws. */
export async function watching(
  context: Context,
  { watch }: WatchOption,
  show: (context: Context) => Promise<void>,
): Promise<void> {
  if (watch === undefined) return show(context);
  const everyMs = durationOption('--watch', watch === true ? EVERY : watch);
  if (everyMs < SHORTEST_MS) throw usage('--watch must be 1s or longer');
  const { terminal } = context;
  let before: string | undefined;
  do {
    let text = '';
    await show({ ...context, terminal: { ...terminal, out: (more) => (text += more) } });
    if (text !== before) terminal.out(terminal.columns === undefined ? text : `${ANEW}${fitting(text, terminal.rows)}`);
    before = text;
  } while (await context.wait(everyMs));
}

/** What a screen holds: the first of it is what a list begins with. */
function fitting(text: string, rows = Infinity): string {
  const lines = text.trimEnd().split('\n');
  if (lines.length < rows) return text;
  const shown = lines.slice(0, Math.max(1, rows - 2));
  return `${shown.join('\n')}\n… ${lines.length - shown.length} more: ask for fewer, or make the window taller\n`;
}

/** `--watch`: the same question again and again, and its answer wherever that changes. */
import type { Command } from 'commander';
import type { Context } from './context.ts';
import { durationOption } from './names.ts';

export interface WatchOption {
  readonly watch?: string | true | undefined;
}

const EVERY = '2s';
/** Clears the screen, and the pointer to its corner. */
const ANEW = '\u001b[H\u001b[2J\u001b[3J';

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
  const { terminal } = context;
  let before: string | undefined;
  do {
    let text = '';
    await show({ ...context, terminal: { ...terminal, out: (more) => (text += more) } });
    if (text !== before) terminal.out(terminal.columns === undefined ? text : `${ANEW}${text}`);
    before = text;
  } while (await context.wait(everyMs));
}

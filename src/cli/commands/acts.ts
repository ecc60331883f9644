/** What people do to runs. */
import type { Command } from 'commander';
import { runName } from '../../domain/ids.ts';
import type { Run } from '../../domain/schemas/runs.ts';
import type { Context } from '../context.ts';
import { durationOption, instantOption, runArgument, runPath } from '../names.ts';
import { usage } from '../outcome.ts';
import { fromNow } from '../shown-runs.ts';
import { json } from '../terminal.ts';

interface ActOptions {
  readonly tenant: string;
  readonly by?: string;
  readonly reason?: string;
  readonly id?: string;
  readonly until?: string;
  readonly for?: string;
  readonly note?: string;
  readonly json?: true;
}

const ACTS = {
  detach: 'take the agent off: it ends REMOVED_BY_USER',
  takeover: 'a human takes the conversation: it ends EXITED_ON_OUTBOUND',
  handback: 'a human gives the conversation back: the agent comes back as a new run',
  pause: 'quiet until resumed: events queue, nothing is sent',
  resume: 'go on after a pause',
  snooze: 'move the due time',
  wake: 'tick now',
} as const;
type Act = keyof typeof ACTS;

export function actCommands(program: Command, context: Context): void {
  for (const [act, description] of Object.entries(ACTS) as [Act, string][]) {
    const command = program
      .command(act)
      .description(description)
      .argument('<run>', 'subject/slot or tenant/subject/slot, such as demo/conversation/1/answering')
      .option('--tenant <tenant>', 'whose', 'demo')
      .option('--by <name>', 'who asks')
      .option('--reason <text>', 'why')
      .option('--id <attachment>', 'only this attachment is meant')
      .option('--json', 'print the API’s object')
      .action(async (run: string, options: ActOptions) => perform(context, act, run, options));
    if (act === 'handback') command.option('--note <text>', 'what the agent is told');
    if (act === 'pause' || act === 'snooze') command.option('--until <instant>', 'such as 2026-11-30T12:00:00Z');
    if (act === 'snooze') command.option('--for <duration>', 'such as 2h');
  }
}

async function perform({ api, terminal }: Context, act: Act, name: string, options: ActOptions): Promise<void> {
  const ref = runArgument(name, options.tenant);
  const { by, reason, id } = options;
  if (act === 'snooze' && (options.until === undefined) === (options.for === undefined))
    throw usage('snooze needs exactly one of --until and --for');
  if (options.for !== undefined) durationOption('--for', options.for);
  const until = instantOption('--until', options.until);
  const { status, body } = await api().post(ref.tenant, `${runPath(ref)}/${act}`, {
    by,
    reason,
    id,
    until,
    for: options.for,
    ...(options.note === undefined ? {} : { note: options.note }),
  });
  const run = body as Run;
  if (options.json) {
    terminal.out(json(run));
    return;
  }
  terminal.out(
    status === 202
      ? `${runName(run)}: accepted; nothing more is sent. The run has not answered yet: no worker is running, or it is busy ending\n`
      : `${runName(run)}: ${standOf(run)}\n`,
  );
}

function standOf(run: Run): string {
  if (run.reason !== null) return `${run.status} (${run.reason})${run.actor === null ? '' : ` by ${run.actor}`}`;
  const due = `next run ${fromNow(run.nextRunAt)}${run.nextRunAt === null ? '' : ` (${run.nextRunAt})`}`;
  if (run.phase === 'paused') {
    const { pausedUntil: until, nextRunAt } = run;
    if (until === null) return 'paused until it is resumed: no run before that';
    return `paused until ${until}, ${nextRunAt !== null && until > nextRunAt ? 'next run then' : due}`;
  }
  return `${run.status} (${run.phase ?? ''}), ${due}`;
}

/** Commands that run something here, or look at this machine. */
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { CommandError, EXIT, usage } from '../outcome.ts';
import { json, plain } from '../terminal.ts';

const QUEUES = ['attache', 'attache-thinking'];

export function processCommands(program: Command, context: Context): void {
  const { processes } = context;
  program
    .command('dev')
    .description('everything in one: Temporal, worker, server and a demo')
    .action(async () => processes.dev());
  program
    .command('worker')
    .description('run attached agents')
    .option('--queues <names>', `which task queues, comma-separated (${QUEUES.join(', ')}); default both`)
    .action(async ({ queues }: { queues?: string }) =>
      processes.worker(queues === undefined ? {} : { queues: queuesOption(queues) }),
    );
  program
    .command('server')
    .description('serve the API, webhooks and console')
    .action(async () => processes.server());
  program
    .command('doctor')
    .description('check what Attaché needs, whether all run one version, and say how to mend what is not so')
    .option('--fix', 'register the search attributes that are missing')
    .option('--json', 'print the checks')
    .action(async ({ fix = false, json: asJson }: { fix?: boolean; json?: true }) => doctor(context, fix, asJson));
  program
    .command('replay')
    .description('replay a history against this code')
    .argument('<source>', 'a run, tenant/subject/slot, or a file that holds a history')
    .option('--json', 'print what was replayed')
    .action(async (source: string, { json: asJson }: { json?: true }) => {
      const replayed = await processes.replay(source);
      context.terminal.out(
        asJson ? json(replayed) : `${replayed.workflowId}: ${replayed.events} events replay on this code\n`,
      );
    });
}

function queuesOption(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !QUEUES.includes(name));
  if (unknown !== undefined) throw usage(`--queues must be of ${QUEUES.join(', ')}, not "${unknown}"`);
  return [...new Set(names)];
}

async function doctor({ processes, terminal }: Context, fix: boolean, asJson: true | undefined): Promise<void> {
  const checks = await processes.doctor({ fix });
  if (asJson) terminal.out(json({ items: checks, nextCursor: null }));
  else
    for (const { name, ok, detail, remedy } of checks) {
      terminal.out(`${ok ? 'ok  ' : 'FAIL'}  ${name}: ${detail.split('\n').map(plain).join('\n      ')}\n`);
      if (remedy !== null) terminal.out(`      → ${remedy}\n`);
    }
  const failed = checks.filter(({ ok }) => !ok);
  if (failed.length > 0)
    throw new CommandError(
      EXIT.failed,
      `${failed.length} of ${checks.length} checks failed: ${failed.map(({ name }) => name).join(', ')}`,
    );
}

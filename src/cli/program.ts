/** The command line: commands are declared in `commands/`; here is how it ends, whatever happens. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, CommanderError } from 'commander';
import { Api, type ApiSettings } from './api.ts';
import { actCommands } from './commands/acts.ts';
import { bulkCommands } from './commands/bulk.ts';
import { completionCommand } from './commands/completion.ts';
import { conformanceCommand } from './commands/conformance.ts';
import { deliveryCommands } from './commands/deliveries.ts';
import { eventCommands } from './commands/events.ts';
import { investigationCommands } from './commands/investigations.ts';
import { keyCommands } from './commands/keys.ts';
import { processCommands } from './commands/processes.ts';
import { conversationCommands } from './commands/conversations.ts';
import { reportCommands } from './commands/reports.ts';
import { runCommands } from './commands/runs.ts';
import { sayCommand } from './commands/say.ts';
import { simulateCommand } from './commands/simulate.ts';
import { switchCommands } from './commands/switches.ts';
import type { Context, Processes } from './context.ts';
import { CommandError, EXIT, type ExitCode } from './outcome.ts';
import { json, type Terminal } from './terminal.ts';

/** Where `attache server` listens unless PORT says otherwise. */
const DEFAULT_SERVER = 'http://127.0.0.1:8080';

export interface Cli {
  readonly terminal: Terminal;
  readonly settings: () => ApiSettings;
  readonly processes: Processes;
  readonly version: string;
  /** Until the next look of `--watch`; false: enough. Default: the time itself, and Ctrl-C ends it. */
  readonly wait?: Context['wait'];
}

/** Runs one command. Never throws: what went wrong is written, and told by the exit code. */
export async function runCli(args: readonly string[], cli: Cli): Promise<ExitCode> {
  const context: Context = {
    terminal: cli.terminal,
    processes: cli.processes,
    serverUrl: () => cli.settings().url ?? DEFAULT_SERVER,
    api: () => new Api(cli.settings()),
    wait: cli.wait ?? (async (ms) => sleep(ms, true)),
  };
  const program = programOf(context, cli);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (isUnknownCommand(error)) cli.terminal.err(meantOf(program));
    return report(error, args.includes('--json'), cli.terminal);
  }
}

function programOf(context: Context, { terminal, version }: Cli): Command {
  const program = new Command('attache')
    .description('Keeps agents attached to conversations and businesses, for hours, days or months.')
    .version(version)
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => {
        terminal.out(text);
      },
      writeErr: (text) => {
        terminal.err(text);
      },
      getOutHelpWidth: () => terminal.columns ?? 100,
      getErrHelpWidth: () => terminal.columns ?? 100,
    })
    .addHelpText(
      'after',
      '\nServer: ATTACHE_URL and ATTACHE_API_KEY; without them, the attache dev of this folder.\nExit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 conflict, 5 server unreachable.',
    );
  processCommands(program, context);
  runCommands(program, context);
  actCommands(program, context);
  sayCommand(program, context);
  eventCommands(program, context);
  deliveryCommands(program, context);
  bulkCommands(program, context);
  investigationCommands(program, context);
  reportCommands(program, context);
  conversationCommands(program, context);
  switchCommands(program, context);
  keyCommands(program, context);
  completionCommand(program, context);
  conformanceCommand(program, context);
  simulateCommand(program, context);
  return program;
}

function isUnknownCommand(error: unknown): boolean {
  return error instanceof CommanderError && error.code === 'commander.unknownCommand';
}

/** Of a word that is a command only within others, such as `messages` of `conversations`: how to type it; else empty. */
function meantOf({ args: [word], commands }: Command): string {
  const groups = commands.filter((group) => group.commands.some((command) => command.name() === word));
  const meant = groups.map((group) => `attache ${group.name()} ${word}`);
  return meant.length === 0 ? '' : `Did you mean ${meant.join(', ').replace(/, ([^,]*)$/, ' or $1')}?\n`;
}

function report(error: unknown, asJson: boolean, terminal: Terminal): ExitCode {
  // Commander has written its own message, which names the flag or argument.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof CommandError) {
    if (asJson && error.problem !== undefined) terminal.err(json(error.problem));
    else terminal.err(`error: ${error.message}\n${error.remedy === undefined ? '' : `${error.remedy}\n`}`);
    return error.exit;
  }
  terminal.err(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  return EXIT.failed;
}

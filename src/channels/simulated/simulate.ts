/**
 * A simulated provider for a person to play with: a server Attaché is pointed at, and a prompt. A line is what the customer
 * says; a line that begins with a slash is anything else that happens.
 */
import { chatwootStage } from './simulate-chatwoot.ts';
import { crmStage } from './simulate-crm.ts';
import { whatsAppStage } from './simulate-whatsapp.ts';
import type { SimulateOptions, Stage } from './stage.ts';

export interface SimulateTerminal {
  readonly out: (text: string) => void;
  /** What the person types. */
  readonly lines: AsyncIterable<string>;
}

/** Until the lines end; a person ends it with Ctrl-C. @throws {Error} when its port is taken. */
export async function simulate(options: SimulateOptions, terminal: SimulateTerminal): Promise<void> {
  const stage = await startStage(options, (line) => {
    terminal.out(`${line}\n`);
  });
  try {
    terminal.out(introduction(options, stage));
    for await (const line of terminal.lines) await obey(stage, line.trim(), terminal);
  } finally {
    await stage.close();
  }
}

function startStage(options: SimulateOptions, show: (line: string) => void): Promise<Stage> {
  switch (options.kind) {
    case 'whatsapp':
      return whatsAppStage(options, show);
    case 'chatwoot':
      return chatwootStage(options, show);
    case 'crm':
      return crmStage(options, show);
  }
}

function introduction({ kind, tenant, url }: SimulateOptions, { channel, where, commands }: Stage): string {
  const rows = Object.entries(commands).map(
    ([name, { takes, does }]) => `  ${`/${name} ${takes ?? ''}`.padEnd(24)}${does}`,
  );
  return [
    `A simulated ${kind} for tenant ${tenant} of ${url}. Its channel in attache.config.json:`,
    '',
    JSON.stringify(channel, null, 2).replace(/^/gm, '  '),
    '',
    `A line is what the customer says, ${where}. Besides:`,
    ...rows,
    '',
    '',
  ].join('\n');
}

async function obey({ say, commands }: Stage, line: string, { out }: SimulateTerminal): Promise<void> {
  if (line === '') return;
  const [, name, argument = ''] = /^\/(\S+)\s*(.*)$/.exec(line) ?? [];
  const command = name === undefined ? undefined : Object.hasOwn(commands, name) ? commands[name] : null;
  try {
    if (command === undefined) await say(line);
    else if (command === null)
      out(
        `there is no /${name}; there is ${Object.keys(commands)
          .map((one) => `/${one}`)
          .join(', ')}\n`,
      );
    else await command.run(argument);
  } catch (error) {
    out(`${error instanceof Error ? error.message : String(error)}\n`);
  }
}

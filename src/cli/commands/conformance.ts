/** Tries a CRM's own server: for its engineer, while it is being written, and in its CI. */
import type { Command } from 'commander';
import type { ConformanceOptions, Context } from '../context.ts';
import { CommandError, EXIT, usage } from '../outcome.ts';
import { json, plain } from '../terminal.ts';

export function conformanceCommand(program: Command, context: Context): void {
  program
    .command('conformance')
    .description('try a CRM’s own server against the contract of a channel')
    .argument('<url>', 'what stands in "url" of the channel, such as https://crm.example.com/attache')
    .option('--secret <secret>', 'its signingSecret, whsec_…; default: the public one of docs/guide/crm-channel.md')
    .option('--tenant <tenant>', 'told in every request', 'conformance')
    .option('--conversation <id>', 'one made for tests: messages, notes and a close go there', 'conformance')
    .option('--address <address>', 'whom to write to; default: the conversation’s id')
    .option('--json', 'print the checks')
    .action(async (url: string, options: Omit<ConformanceOptions, 'url'> & { readonly json?: true }) =>
      examine(context, { ...options, url }),
    );
}

async function examine(
  { processes, terminal }: Context,
  { json: asJson, ...options }: ConformanceOptions & { readonly json?: true },
): Promise<void> {
  if (!URL.canParse(options.url) || !/^https?:$/.test(new URL(options.url).protocol))
    throw usage(`<url> must begin with https:// or http://, not "${options.url}"`);
  if (options.secret !== undefined && !/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(options.secret))
    throw usage('--secret must be "whsec_" and the base64 of 24 to 64 bytes');
  const checks = await processes.conformance(options);
  if (asJson) terminal.out(json({ items: checks, nextCursor: null }));
  else
    for (const { name, ok, detail, remedy } of checks) {
      terminal.out(`${ok ? 'pass' : 'FAIL'}  ${name}\n`);
      if (!ok) terminal.out(`      ${plain(detail)}\n`);
      if (remedy !== null) terminal.out(`      → ${remedy}\n`);
    }
  const failed = checks.filter(({ ok }) => !ok).length;
  if (failed > 0) throw new CommandError(EXIT.failed, `${failed} of ${checks.length} checks failed`);
  if (asJson === undefined) terminal.out(`all ${checks.length} checks passed\n`);
}

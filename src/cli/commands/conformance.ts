/** Tries a business's own server: for its engineer, while it is being written, and in its CI. */
import type { Command } from 'commander';
import type { Check } from '../../domain/checks.ts';
import type { ConformanceOptions, Context, ErpConformanceOptions } from '../context.ts';
import { CommandError, EXIT, usage } from '../outcome.ts';
import { json, plain, type Terminal } from '../terminal.ts';

type Options = Omit<ConformanceOptions, 'url'> &
  Omit<ErpConformanceOptions, 'url'> & { readonly erp?: true; readonly json?: true };

export function conformanceCommand(program: Command, context: Context): void {
  program
    .command('conformance')
    .description('try your own server against the contract of a channel, or of an ERP')
    .argument('<url>', 'what stands in "url" of the configuration, such as https://crm.example.com/attache')
    .option(
      '--erp',
      'it is an ERP: docs/erp.openapi.json; else it is a CRM as a channel: docs/crm-channel.openapi.json',
    )
    .option('--tenant <tenant>', 'told in every request', 'conformance')
    .option('--token <token>', 'of an ERP: its token; default: the public one of docs/guide/erp.md')
    .option(
      '--secret <secret>',
      'of a CRM: its signingSecret, whsec_…; default: the public one of docs/guide/crm-channel.md',
    )
    .option('--conversation <id>', 'of a CRM: one made for tests: messages, notes and a close go there', 'conformance')
    .option('--address <address>', 'of a CRM: whom to write to; default: the conversation’s id')
    .option('--json', 'print the checks')
    .action(async (url: string, options: Options) => examine(context, url, options));
}

async function examine({ processes, terminal }: Context, url: string, options: Options): Promise<void> {
  const { erp, json: asJson, token, ...crm } = options;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw usage(`<url> must begin with https:// or http://, not "${url}"`);
  if (options.secret !== undefined && !/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(options.secret))
    throw usage('--secret must be "whsec_" and the base64 of 24 to 64 bytes');
  const { tenant } = crm;
  const checks =
    erp === true
      ? await processes.erpConformance({
          url,
          ...(token === undefined ? {} : { token }),
          ...(tenant === undefined ? {} : { tenant }),
        })
      : await processes.conformance({ ...crm, url });
  print(terminal, checks, asJson);
}

function print(terminal: Terminal, checks: readonly Check[], asJson: true | undefined): void {
  if (asJson) terminal.out(json({ items: checks, nextCursor: null }));
  else
    for (const [at, { name, ok, detail, remedy }] of checks.entries()) {
      terminal.out(`${ok ? 'pass' : 'FAIL'}  ${name}\n`);
      // One cause, told once: a wrong secret fails all that follows, and their own remedies would mislead.
      const isKnown = !ok && checks.slice(0, at).some((before) => !before.ok && before.detail === detail);
      if (!ok) terminal.out(`      ${isKnown ? 'for the same reason' : plain(detail)}\n`);
      if (remedy !== null && !isKnown) terminal.out(`      → ${remedy}\n`);
    }
  const failed = checks.filter(({ ok }) => !ok).length;
  if (failed > 0) throw new CommandError(EXIT.failed, `${failed} of ${checks.length} checks failed`);
  if (asJson === undefined) terminal.out(`all ${checks.length} checks passed\n`);
}

/** Acts on many runs at once: how many they are is shown before anything is done. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { BULK_ACTIONS, RECIPIENT_STATES, isOver, type BulkAction } from '../../domain/fan-out.ts';
import { runName } from '../../domain/ids.ts';
import type { BulkPreview, BulkView, ReceiptLine } from '../../domain/schemas/fan-out.ts';
import type { Page } from '../../desk/desk.ts';
import { PHASES } from '../../domain/statuses.ts';
import { choice } from '../choices.ts';
import type { Context } from '../context.ts';
import { forPages, showList, type PageOptions } from '../listing.ts';
import { durationOption, instantOption, tenantOption } from '../names.ts';
import { CommandError, EXIT, usage } from '../outcome.ts';
import { fields, json, table } from '../terminal.ts';

interface Options {
  readonly tenant: string;
  readonly json?: true;
}
interface ActOptions extends Options {
  readonly agent?: string;
  readonly subject?: string;
  readonly subjectPrefix?: string;
  readonly phase?: string;
  readonly topic?: string;
  readonly dueWithin?: string;
  readonly failing?: true;
  readonly all?: true;
  readonly until?: string;
  readonly for?: string;
  readonly by?: string;
  readonly reason?: string;
  readonly dryRun?: true;
  readonly yes?: true;
}

const LOOK_EVERY_MS = 500;

export function bulkCommands(program: Command, context: Context): void {
  const bulk = program.command('bulk').description('act on every live run that fits, at a steady pace');
  const shared = (command: Command) =>
    command.option('--tenant <tenant>', 'whose', 'demo').option('--json', 'print the API’s object');
  forPages(bulk.command('list', { isDefault: true }).description('bulk acts, the newest first')).action(
    async (options: PageOptions) =>
      showList(
        context,
        { ...options },
        {
          path: '/bulk',
          headings: ['ID', 'ACT', 'STATE', 'RUNS', 'DONE', 'FAILED', 'BY', 'SINCE'],
          spare: ['BY'],
          row: ({ id, action, state, total, done, failed, actor, createdAt }: BulkView) => [
            ...[id, action, state, String(total), String(done), String(failed), actor, createdAt],
          ],
          none: 'no bulk acts',
        },
      ),
  );
  for (const action of BULK_ACTIONS) {
    const command = shared(bulk.command(action))
      .description(`${action} every live run that fits; shows how many with --dry-run, does it with --yes`)
      .option('--agent <agent>', 'of this agent')
      .option('--subject <subject>', 'on this subject')
      .option('--subject-prefix <text>', 'on subjects that begin so, such as conversation/shop-')
      .addOption(choice('--phase <phase>', PHASES, 'that do this now'))
      .option('--topic <topic>', 'that follow this topic')
      .option('--due-within <duration>', 'due soon, such as 1h')
      .option('--failing', 'whose latest wake-up failed')
      .option('--all', 'every one of the tenant')
      .option('--by <name>', 'who asks')
      .option('--reason <text>', 'why')
      .option('--dry-run', 'count them, and do nothing')
      .option('--yes', 'do it')
      .action(async (options: ActOptions) => act(context, action, options));
    if (action === 'pause' || action === 'snooze') command.option('--until <instant>', 'such as 2026-11-30T12:00:00Z');
    if (action === 'snooze') command.option('--for <duration>', 'such as 2h');
  }
  shared(bulk.command('show').argument('<bulk>', 'its id'))
    .description('how far it is')
    .action(async (id: string, { tenant, json: asJson }: Options) => {
      const found = (await context.api().get(tenantOption(tenant), `/bulk/${encodeURIComponent(id)}`)) as BulkView;
      context.terminal.out(asJson ? json(found) : shown(found));
    });
  shared(bulk.command('receipt').argument('<bulk>', 'its id'))
    .description('what happened to each run')
    .addOption(choice('--state <state>', RECIPIENT_STATES, 'of these alone'))
    .option('--cursor <cursor>', 'the next page')
    .action(async (id: string, options: Options & { readonly state?: string; readonly cursor?: string }) =>
      receipt(context, id, options),
    );
  shared(bulk.command('cancel').argument('<bulk>', 'its id'))
    .description('stop it: whoever’s turn has begun has it, nobody else')
    .action(async (id: string, { tenant, json: asJson }: Options) => {
      const { body } = await context.api().post(tenantOption(tenant), `/bulk/${encodeURIComponent(id)}/cancel`, {});
      context.terminal.out(asJson ? json(body) : shown(body as BulkView));
    });
}

async function act({ api, terminal }: Context, action: BulkAction, options: ActOptions): Promise<void> {
  const { agent, subject, subjectPrefix, phase, topic, dueWithin, failing, by, reason } = options;
  const filter = { agent, subject, subjectPrefix, phase, topic, dueWithin, failing };
  const isNarrowed = Object.values(filter).some((value) => value !== undefined);
  if (isNarrowed === (options.all === true))
    throw usage('name which runs, with --agent, --subject-prefix and so on; or say --all, alone');
  if (action === 'snooze' && (options.until === undefined) === (options.for === undefined))
    throw usage('snooze needs exactly one of --until and --for');
  for (const [flag, text] of [
    ['--due-within', dueWithin],
    ['--for', options.for],
  ] as const)
    if (text !== undefined) durationOption(flag, text);
  const until = instantOption('--until', options.until);
  const asked = { action, filter, until, for: options.for, by, reason };
  const tenant = tenantOption(options.tenant);
  const client = api();
  if (options.yes !== true) {
    const preview = (await client.post(tenant, '/bulk', { ...asked, dryRun: true })).body as BulkPreview;
    if (options.dryRun !== true && preview.total > 0)
      throw new CommandError(EXIT.usage, `${action} would reach ${runsOf(preview.total)}; nothing was done`, {
        remedy: 'Repeat it with --yes to do it, or with --dry-run to see some of them.',
        problem: preview,
      });
    terminal.out(options.json ? json(preview) : previewOf(preview));
    return;
  }
  if (options.dryRun === true) throw usage('--dry-run and --yes exclude each other');
  const begun = (await client.post(tenant, '/bulk', asked)).body as BulkView;
  if (!options.json) terminal.out(`bulk ${begun.id}: ${runsOf(begun.total)}\n`);
  let now = begun;
  while (!isOver(now.state)) {
    await sleep(LOOK_EVERY_MS);
    const before = now.pending;
    now = (await client.get(tenant, `/bulk/${begun.id}`)) as BulkView;
    if (!options.json && now.pending !== before) terminal.err(`${now.total - now.pending} of ${now.total}\n`);
  }
  terminal.out(options.json ? json(now) : shown(now));
  if (now.failed > 0)
    throw new CommandError(EXIT.failed, `${runsOf(now.failed)} did not answer`, {
      remedy: `attache bulk receipt ${now.id} --state failed`,
    });
}

function previewOf({ action, total, sample }: BulkPreview): string {
  const names = sample.map((run) => `  ${runName(run)}\n`).join('');
  const more = total > sample.length ? `  and ${total - sample.length} more\n` : '';
  return `${action} would reach ${runsOf(total)}; nothing was done\n${names}${more}`;
}

function runsOf(count: number): string {
  return count === 1 ? '1 run' : `${count} runs`;
}

function shown(bulk: BulkView): string {
  const { id, state, total, done, skipped, failed, pending, createdAt, finishedAt } = bulk;
  const counts = Object.entries({ total, done, skipped, failed, pending });
  return fields([
    ['bulk', id],
    ['state', state],
    ...counts.map(([name, count]): [string, string] => [name, String(count)]),
    ['asked', createdAt],
    ['over', finishedAt ?? '–'],
  ]);
}

async function receipt(
  { api, terminal }: Context,
  id: string,
  { tenant, json: asJson, ...query }: Options & { readonly state?: string; readonly cursor?: string },
): Promise<void> {
  const path = `/bulk/${encodeURIComponent(id)}/receipt`;
  const page = (await api().get(tenantOption(tenant), path, query)) as Page<ReceiptLine>;
  if (asJson) {
    terminal.out(json(page));
    return;
  }
  const rows = page.items.map(({ subject, slot, state, reason, at }) => [
    ...[`${subject}/${slot}`, state, reason ?? '', at ?? '–'],
  ]);
  terminal.out(rows.length === 0 ? 'nobody\n' : table(['RUN', 'STATE', 'REASON', 'AT'], rows, terminal.columns));
  if (page.nextCursor !== null) terminal.out(`more: --cursor ${page.nextCursor}\n`);
}

/** Events, and the dead letters among them. */
import type { Command } from 'commander';
import type { EventRecord, Page } from '../../desk/desk.ts';
import type { Context } from '../context.ts';
import { tenantOption } from '../names.ts';
import { usage } from '../outcome.ts';
import { json, table } from '../terminal.ts';

interface ListOptions {
  readonly tenant: string;
  readonly status?: string;
  readonly subject?: string;
  readonly limit: string;
  readonly cursor?: string;
  readonly json?: true;
}
const STATUSES = ['stored', 'delivered', 'dead'];

export function eventCommands(program: Command, context: Context): void {
  const events = program.command('events').description('list events; --status dead are the dead letters');
  events
    .command('list', { isDefault: true })
    .description('list events')
    .option('--tenant <tenant>', 'whose', 'demo')
    .option('--status <status>', STATUSES.join(', '))
    .option('--subject <subject>', 'on this subject')
    .option('--limit <number>', '1 to 200', '50')
    .option('--cursor <cursor>', 'the next page')
    .option('--json', 'print the API’s object')
    .action(async (options: ListOptions) => list(context, options));
  for (const act of ['redeliver', 'drop'] as const) {
    events
      .command(act)
      .description(
        act === 'redeliver' ? 'deliver an event once more' : 'throw away a dead letter, or an event that still waits',
      )
      .argument('<event>', 'its id or key')
      .option('--tenant <tenant>', 'whose', 'demo')
      .option('--json', 'print the API’s object')
      .action(async (event: string, { tenant, json: asJson }: { tenant: string; json?: true }) => {
        const { body } = await context
          .api()
          .post(tenantOption(tenant), `/events/${encodeURIComponent(event)}/${act}`, {});
        const record = body as EventRecord;
        context.terminal.out(asJson ? json(record) : `${record.id}: ${act === 'drop' ? 'dropped' : record.status}\n`);
      });
  }
}

async function list({ api, terminal }: Context, { tenant, json: asJson, ...query }: ListOptions): Promise<void> {
  if (query.status !== undefined && !STATUSES.includes(query.status))
    throw usage(`--status must be one of ${STATUSES.join(', ')}`);
  if (!/^\d{1,3}$/.test(query.limit)) throw usage(`--limit must be 1 to 200, not "${query.limit}"`);
  const page = (await api().get(tenantOption(tenant), '/events', query)) as Page<EventRecord>;
  if (asJson) {
    terminal.out(json(page));
    return;
  }
  if (page.items.length === 0) {
    terminal.out(`no such events of tenant ${tenant}; another tenant is named with --tenant\n`);
    return;
  }
  const rows = page.items.map((event) => [
    event.id,
    event.type,
    event.subject ?? '–',
    event.time,
    `${event.status}${event.stale ? ' (stale)' : ''}`,
    event.problem ?? '',
  ]);
  terminal.out(table(['ID', 'TYPE', 'SUBJECT', 'TIME', 'STATUS', 'PROBLEM'], rows, terminal.columns));
  if (page.nextCursor !== null) terminal.out(`more: --cursor ${page.nextCursor}\n`);
}

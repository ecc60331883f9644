/** Events, and the dead letters among them. */
import type { Command } from 'commander';
import type { EventRecord } from '../../desk/desk.ts';
import type { EventAnswer } from '../../http/deps.ts';
import { byId, EVENTS } from '../by-id.ts';
import { choice } from '../choices.ts';
import type { Context } from '../context.ts';
import { jsonArgument } from '../json-argument.ts';
import { forPages, showList, type Listing, type PageOptions } from '../listing.ts';
import { tenantOption } from '../names.ts';
import { usage } from '../outcome.ts';
import { fields, json } from '../terminal.ts';

const STATUSES = ['stored', 'delivered', 'dead'];

const LISTING = {
  path: '/events',
  headings: ['ID', 'TYPE', 'SUBJECT', 'TIME', 'STATUS', 'PROBLEM'],
  row: ({ id, type, subject, time, status, stale, problem }: EventRecord) => [
    ...[id, type, subject ?? '–', time, `${status}${stale ? ' (stale)' : ''}`],
    problem ?? '',
  ],
  beginningsDo: true,
} satisfies Omit<Listing, 'none'>;

export function eventCommands(program: Command, context: Context): void {
  const events = program.command('events').description('list events; --status dead are the dead letters');
  forPages(events.command('list', { isDefault: true }).description('list events'))
    .addOption(choice('--status <status>', STATUSES, 'that stand so'))
    .option('--subject <subject>', 'on this subject')
    .action(async (options: PageOptions) =>
      showList(
        context,
        { ...options },
        { ...LISTING, none: `no such events of tenant ${options.tenant}; another tenant is named with --tenant` },
      ),
    );
  events
    .command('tell')
    .description('tell what happened, as POST /events takes it')
    .argument('<json>', 'one event, or an array of them; or @file')
    .option('--tenant <tenant>', 'whose', 'demo')
    .option('--json', 'print the API’s object')
    .action(async (text: string, options: { tenant: string; json?: true }) => tell(context, text, options));
  events
    .command('show')
    .description('one event; of one on a topic, how many runs it has reached')
    .argument('<event>', 'its id or key, or the beginning of either')
    .option('--tenant <tenant>', 'whose', 'demo')
    .option('--json', 'print the API’s object')
    .action(async (event: string, options: { tenant: string; json?: true }) => show(context, event, options));
  const acts = {
    redeliver: 'deliver an event once more; read a dead letter again that could not be read',
    drop: 'throw away a dead letter, or an event that still waits',
  };
  for (const [act, description] of Object.entries(acts)) {
    events
      .command(act)
      .description(description)
      .argument('<event>', 'its id or key, or the beginning of either')
      .option('--tenant <tenant>', 'whose', 'demo')
      .option('--json', 'print the API’s object')
      .action(async (event: string, { tenant, json: asJson }: { tenant: string; json?: true }) => {
        const named = { api: context.api(), tenant: tenantOption(tenant), id: event, of: EVENTS };
        const { body } = await byId(named, async (path) => named.api.post(named.tenant, `${path}/${act}`, {}));
        const record = body as Redelivered;
        const became = act === 'drop' ? 'dropped' : (readWords(record) ?? record.status);
        context.terminal.out(asJson ? json(record) : `${record.id}: ${became}\n`);
      });
  }
}

/** With what a dead letter held that could be read now. */
type Redelivered = EventRecord & { readonly events?: readonly { readonly result: string }[] };

function readWords({ events }: Redelivered): string | undefined {
  if (events === undefined) return undefined;
  const count = (wanted: string) => events.filter(({ result }) => result === wanted).length;
  const [fresh, known] = [count('accepted'), count('duplicate')];
  const stored = `read now, ${fresh} ${fresh === 1 ? 'event' : 'events'} stored`;
  return known > 0 ? `${stored}, ${known} known already` : stored;
}

type OneEvent = EventRecord & {
  readonly fanOut?: Readonly<Record<'total' | 'done' | 'skipped' | 'failed', number>> | null;
};

async function show(
  { api, terminal }: Context,
  event: string,
  { tenant, json: asJson }: { tenant: string; json?: true },
): Promise<void> {
  const named = { api: api(), tenant: tenantOption(tenant), id: event, of: EVENTS };
  const found = (await byId(named, async (path) => named.api.get(named.tenant, path))) as OneEvent;
  if (asJson) {
    terminal.out(json(found));
    return;
  }
  const { id, type, subject, time, status, stale, attempts, problem, fanOut } = found;
  const entries: [string, string | null | undefined][] = [
    ['event', id],
    ['type', type],
    ['subject', subject],
    ['time', time],
    ['status', `${status}${stale ? ' (stale)' : ''}, ${attempts} attempts`],
    ['problem', problem],
    ['told to', fanOut && `${fanOut.done} of ${fanOut.total} runs; ${fanOut.skipped} skipped, ${fanOut.failed} failed`],
  ];
  terminal.out(fields(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')));
}

/** @throws {CommandError} when one of them is rejected: the others are taken. */
async function tell(
  { api, terminal }: Context,
  text: string,
  { tenant, json: asJson }: { tenant: string; json?: true },
): Promise<void> {
  const { body } = await api().post(tenantOption(tenant), '/events', await jsonArgument('json', text));
  const { items } = body as { readonly items: readonly EventAnswer[] };
  const lines = items.map(
    ({ id, result, problem }) => `${id ?? '–'}: ${[result, problem?.detail ?? []].flat().join(', ')}\n`,
  );
  terminal.out(asJson ? json(body) : lines.join(''));
  const rejected = items.filter(({ result }) => result === 'rejected').length;
  if (rejected > 0) throw usage(`${rejected} of ${items.length} events do not fit`);
}

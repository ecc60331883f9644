/** Outgoing webhooks: what was told to whom, and what became of it. */
import type { Command } from 'commander';
import type { Page, WebhookAttempt, WebhookDelivery } from '../../desk/desk.ts';
import { WEBHOOK_STATES } from '../../domain/webhooks.ts';
import type { Endpoint } from '../../http/answers/deliveries.ts';
import { byId, DELIVERIES } from '../by-id.ts';
import { choice } from '../choices.ts';
import type { Context } from '../context.ts';
import { forPages, showList, type Listing, type PageOptions } from '../listing.ts';
import { tenantOption } from '../names.ts';
import { fields, json, table } from '../terminal.ts';

interface Options {
  readonly tenant: string;
  readonly json?: true;
}

const LISTING = {
  path: '/deliveries',
  headings: ['ID', 'TYPE', 'SUBJECT', 'ENDPOINT', 'STATUS', 'ATTEMPTS', 'NEXT', 'PROBLEM'],
  row: ({ id, type, subject, endpoint, state, attempts, nextAttemptAt, lastError }: WebhookDelivery) => [
    ...[id, type, subject, endpoint, state, String(attempts), nextAttemptAt ?? '–'],
    lastError ?? '',
  ],
  none: 'no deliveries',
  spare: ['SUBJECT', 'ATTEMPTS', 'NEXT'],
  beginningsDo: true,
} satisfies Listing;

export function deliveryCommands(program: Command, context: Context): void {
  const deliveries = program
    .command('deliveries')
    .description('list outgoing webhooks; --status failed are those nobody took');
  const command = (name: string, description: string) =>
    deliveries
      .command(name)
      .description(description)
      .option('--tenant <tenant>', 'whose', 'demo')
      .option('--json', 'print the API’s object');
  forPages(deliveries.command('list', { isDefault: true }).description('list outgoing webhooks'))
    .addOption(choice('--status <status>', WEBHOOK_STATES, 'that stand so'))
    .option('--endpoint <id>', 'to this endpoint')
    .action(async (options: PageOptions) => showList(context, { ...options }, LISTING));
  command('show', 'one of them, with every attempt')
    .argument('<delivery>', 'its id, or the beginning of it')
    .action(async (id: string, options: Options) => show(context, id, options));
  command('redeliver', 'send it once more')
    .argument('<delivery>', 'its id, or the beginning of it')
    .action(async (id: string, { tenant, json: asJson }: Options) => {
      const named = { api: context.api(), tenant: tenantOption(tenant), id, of: DELIVERIES };
      const { body } = await byId(named, async (path) => named.api.post(named.tenant, `${path}/redeliver`, {}));
      const delivery = body as WebhookDelivery;
      context.terminal.out(asJson ? json(body) : `${delivery.id}: ${delivery.state}\n`);
    });
  command('endpoints', 'where the tenant is told, and what is switched off').action(async (options: Options) =>
    listEndpoints(context, options),
  );
  command('switch-on', 'switch an endpoint on again, after it said 410')
    .argument('<endpoint>', 'its id')
    .option('--redeliver-held', 'send now what was held meanwhile')
    .action(async (id: string, options: Options & { readonly redeliverHeld?: true }) =>
      switchTo(context, id, { ...options, enabled: true }),
    );
  command('switch-off', 'hold back what is for an endpoint')
    .argument('<endpoint>', 'its id')
    .action(async (id: string, options: Options) => switchTo(context, id, { ...options, enabled: false }));
}

async function show({ api, terminal }: Context, id: string, { tenant, json: asJson }: Options): Promise<void> {
  const named = { api: api(), tenant: tenantOption(tenant), id, of: DELIVERIES };
  const found = (await byId(named, async (path) => named.api.get(named.tenant, path))) as WebhookDelivery & {
    readonly log: readonly WebhookAttempt[];
  };
  if (asJson) {
    terminal.out(json(found));
    return;
  }
  const { type, subject, endpoint, state, createdAt, nextAttemptAt } = found;
  const entries = {
    id: found.id,
    type,
    subject,
    endpoint,
    status: state,
    created: createdAt,
    next: nextAttemptAt ?? '–',
  };
  terminal.out(fields(Object.entries(entries)));
  const rows = found.log.map(({ number, at, durationMs, status, error }) => [
    ...[String(number), at, `${durationMs} ms`, status === null ? 'no answer' : String(status), error ?? ''],
  ]);
  if (rows.length > 0)
    terminal.out(`\n${table(['ATTEMPT', 'AT', 'TOOK', 'STATUS', 'PROBLEM'], rows, terminal.columns)}`);
}

async function listEndpoints({ api, terminal }: Context, { tenant, json: asJson }: Options): Promise<void> {
  const page = (await api().get(tenantOption(tenant), '/webhook-endpoints')) as Page<Endpoint>;
  if (asJson) terminal.out(json(page));
  else if (page.items.length === 0)
    terminal.out('no endpoints: name some in tenants.<tenant>.webhooks of attache.config.json\n');
  else {
    const rows = page.items.map(({ id, url, types, off }) => [
      ...[id, url, types?.join(', ') ?? 'all'],
      off === null ? 'on' : `off since ${off.since}, by ${off.by}${off.reason === null ? '' : `: ${off.reason}`}`,
    ]);
    terminal.out(table(['ID', 'URL', 'TYPES', 'STATE'], rows, terminal.columns));
  }
}

async function switchTo(
  { api, terminal }: Context,
  id: string,
  { tenant, json: asJson, ...body }: Options & { readonly enabled: boolean; readonly redeliverHeld?: true },
): Promise<void> {
  const answer = await api().put(tenantOption(tenant), `/webhook-endpoints/${encodeURIComponent(id)}`, body);
  const { enabled, redelivered } = answer.body as Endpoint & { readonly redelivered: number };
  const sent = redelivered > 0 ? `; ${redelivered} held deliveries are sent now` : '';
  terminal.out(asJson ? json(answer.body) : `${id}: ${enabled ? 'on' : 'off'}${sent}\n`);
}

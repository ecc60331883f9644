/** What the desk keeps, for people: outcomes, the week ahead, who did what, agents, channels, topics. */
import type { Command } from 'commander';
import type { AuditEntry } from '../../desk/desk.ts';
import type { AgentView } from '../../http/answers/agents.ts';
import type { Channel } from '../../http/answers/channels.ts';
import type { Calendar, Outcomes } from '../../http/answers/outcomes.ts';
import type { Context } from '../context.ts';
import { choice } from '../choices.ts';
import {
  forList,
  forPages,
  showList,
  type ListOptions,
  type Listing,
  type PageOptions,
  type TenantOptions,
} from '../listing.ts';
import { instantOption, tenantOption } from '../names.ts';
import { json, table } from '../terminal.ts';
import { watching, type WatchOption } from '../watch.ts';

interface OutcomeOptions extends TenantOptions {
  readonly from?: string;
  readonly to?: string;
  readonly by: string;
  readonly agent?: string;
  readonly version?: string;
  readonly csv?: true;
}
interface AuditOptions extends PageOptions {
  readonly actor?: string;
  readonly act?: string;
  readonly target?: string;
}
const GROUPS = ['day', 'agent', 'version', 'status', 'reason'];

const AUDIT = {
  path: '/audit',
  headings: ['AT', 'ACTOR', 'ACT', 'TARGET', 'ANSWER', 'WHY'],
  row: ({ at, actor, act, target, status, reason }: AuditEntry) => [
    ...[at, actor, act, target, String(status ?? '–')],
    reason ?? '',
  ],
} satisfies Omit<Listing, 'none'>;

const AGENTS = {
  path: '/agents',
  headings: ['AGENT', 'VERSION', 'TITLE', 'SLOT', 'RUNS', 'STATE'],
  row: ({ key, version, title, slot, off, runs }: AgentView) => [
    ...[key, String(version), title, slot, String(runs.reduce((sum, { count }) => sum + count, 0))],
    off === null ? 'on' : 'off',
  ],
  none: 'no agents',
} satisfies Listing;

const CHANNELS = {
  path: '/channels',
  headings: ['CHANNEL', 'KIND', 'LAST INBOUND', 'SENT 24H', 'FAILED 24H', 'STATE'],
  row: ({ key, kind, lastInboundAt, lately, ...line }: Channel) => [
    ...[key, kind, lastInboundAt ?? '–', String(lately.sent), String(lately.failed)],
    stateOf(line),
  ],
  none: 'no channels: name some in tenants.<tenant>.channels of attache.config.json',
} satisfies Listing;

function stateOf({ off, shut, sends }: Pick<Channel, 'off' | 'shut' | 'sends'>): string {
  if (off !== null) return 'off';
  if (shut !== null) return `shut: the provider refuses us (${shut.code})`;
  return sends ? 'on' : 'only tells: give it a url and it can send';
}

const TOPICS = {
  path: '/topics',
  headings: ['TOPIC', 'FOLLOWERS'],
  row: ({ topic, followers }: { readonly topic: string; readonly followers: number }) => [topic, String(followers)],
  none: 'no run follows a topic',
} satisfies Listing;

export function reportCommands(program: Command, context: Context): void {
  forList(program.command('outcomes').description('how runs ended: counts, rates, cost'))
    .option('--from <instant>', 'default 30 days ago')
    .option('--to <instant>', 'default now')
    .addOption(choice('--by <group>', GROUPS, 'counted by').default('day'))
    .option('--agent <agent>', 'of this agent')
    .option('--version <number>', 'of this version')
    .option('--csv', 'print the API’s CSV')
    .action(async ({ watch, ...options }: OutcomeOptions & WatchOption) =>
      watching(context, { watch }, async (at) => outcomes(at, options)),
    );
  forList(program.command('calendar').description('wake-ups and held messages of the next seven days by hour')).action(
    async ({ watch, ...options }: ListOptions) => watching(context, { watch }, async (at) => calendar(at, options)),
  );
  forPages(program.command('audit').description('every act: who, what, why, and what was answered'))
    .option('--actor <name>', 'by whom')
    .option('--act <act>', 'such as runs.detach')
    .option('--target <target>', 'such as conversation/42/answering')
    .action(async (options: AuditOptions) => {
      const isNarrowed = [options.actor, options.act, options.target].some((given) => given !== undefined);
      const none = isNarrowed ? 'no such acts; they are named as runs.detach' : 'nobody has done anything yet';
      await showList(context, { ...options }, { ...AUDIT, none });
    });
  forList(program.command('agents').description('the agents of the server')).action(async (options: ListOptions) =>
    showList(context, { ...options }, AGENTS),
  );
  forList(program.command('channels').description('the channels of a tenant, and how they are')).action(
    async (options: ListOptions) => showList(context, { ...options }, CHANNELS),
  );
  forList(program.command('topics').description('topics that live runs follow')).action(async (options: ListOptions) =>
    showList(context, { ...options }, TOPICS),
  );
}

async function outcomes(
  { api, terminal }: Context,
  { tenant, json: asJson, csv, ...query }: OutcomeOptions,
): Promise<void> {
  const [from, to] = [instantOption('--from', query.from), instantOption('--to', query.to)];
  const asked = { ...query, from, to };
  if (csv && !asJson) {
    terminal.out(await api().text(tenantOption(tenant), '/outcomes', { ...asked, format: 'csv' }));
    return;
  }
  const found = (await api().get(tenantOption(tenant), '/outcomes', asked)) as Outcomes;
  const rows = [...found.items, { ...found.total, group: 'all' }].map((one) => [
    ...[one.group, String(one.ended), percent(one.completion), percent(one.takeover), percent(one.failure)],
    ...[String(one.ticks), one.costUsd === null ? '–' : one.costUsd.toFixed(2)],
  ]);
  const headings = [query.by.toUpperCase(), 'ENDED', 'COMPLETED', 'TAKEN OVER', 'FAILED', 'TICKS', 'COST USD'];
  if (asJson) terminal.out(json(found));
  else terminal.out(table(headings, rows, terminal.columns));
}

async function calendar({ api, terminal }: Context, { tenant, json: asJson }: TenantOptions): Promise<void> {
  const found = (await api().get(tenantOption(tenant), '/calendar')) as Calendar;
  if (asJson) terminal.out(json(found));
  else if (found.items.length === 0) terminal.out('nothing is due in the next seven days\n');
  else {
    const rows = found.items.map(({ at, wakeUps, sends, pileUp, agents }) => [
      ...[at, String(wakeUps), String(sends), pileUp ? 'pile-up' : '', agents.map(({ agent }) => agent).join(', ')],
    ]);
    terminal.out(table(['HOUR', 'WAKE-UPS', 'SENDS', '', 'AGENTS'], rows, terminal.columns));
  }
}

function percent(share: number | null): string {
  return share === null ? '–' : `${Math.round(share * 100)} %`;
}

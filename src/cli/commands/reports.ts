/** What the desk keeps, for people: outcomes, the week ahead, who did what, agents, channels, conversations, topics. */
import type { Command } from 'commander';
import type { AuditEntry, MessageRecord, Page } from '../../desk/desk.ts';
import type { Context } from '../context.ts';
import { forPages, forTenant, showList, type PageOptions, type TenantOptions } from '../listing.ts';
import { conversationArgument, durationOption, instantOption, tenantOption } from '../names.ts';
import { usage } from '../outcome.ts';
import { fields, json, table } from '../terminal.ts';

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
interface Group {
  readonly group: string;
  readonly ended: number;
  readonly completion: number | null;
  readonly takeover: number | null;
  readonly failure: number | null;
  readonly ticks: number;
  readonly costUsd: number | null;
}
interface Outcomes {
  readonly total: Group;
  readonly items: readonly Group[];
}
interface Calendar {
  readonly zone: string;
  readonly items: readonly {
    readonly at: string;
    readonly wakeUps: number;
    readonly sends: number;
    readonly pileUp: boolean;
    readonly agents: readonly { readonly agent: string }[];
  }[];
}
interface Conversation {
  readonly id: string;
  readonly owner: string;
  readonly channel: string | null;
  readonly lastInboundAt: string | null;
  readonly closedAt: string | null;
}
const GROUPS = ['day', 'agent', 'version', 'status', 'reason'];

export function reportCommands(program: Command, context: Context): void {
  forTenant(program.command('outcomes').description('how runs ended: counts, rates, cost'))
    .option('--from <instant>', 'default 30 days ago')
    .option('--to <instant>', 'default now')
    .option('--by <group>', GROUPS.join(', '), 'day')
    .option('--agent <agent>', 'of this agent')
    .option('--version <number>', 'of this version')
    .option('--csv', 'print CSV')
    .action(async (options: OutcomeOptions) => outcomes(context, options));
  forTenant(
    program.command('calendar').description('wake-ups and held messages of the next seven days by hour'),
  ).action(async (options: TenantOptions) => calendar(context, options));
  forPages(program.command('audit').description('every act: who, what, why, and what was answered'))
    .option('--actor <name>', 'by whom')
    .option('--act <act>', 'such as runs.detach')
    .option('--target <target>', 'such as conversation/42/answering')
    .action(async (options: AuditOptions) =>
      showList(
        context,
        { ...options },
        {
          path: '/audit',
          headings: ['AT', 'ACTOR', 'ACT', 'TARGET', 'ANSWER', 'WHY'],
          row: ({ at, actor, act, target, status, reason }: AuditEntry) => [
            at,
            actor,
            act,
            target,
            String(status ?? '–'),
            reason ?? '',
          ],
          none:
            options.actor === undefined && options.act === undefined && options.target === undefined
              ? 'nobody has done anything yet'
              : 'no such acts; they are named as runs.detach',
        },
      ),
    );
  forTenant(program.command('agents').description('the agents of the server')).action(async (options: TenantOptions) =>
    showList(
      context,
      { ...options },
      {
        path: '/agents',
        headings: ['AGENT', 'VERSION', 'TITLE', 'SLOT', 'RUNS', 'STATE'],
        row: ({
          key,
          version,
          title,
          slot,
          off,
          runs,
        }: {
          key: string;
          version: number;
          title: string;
          slot: string;
          off: object | null;
          runs: { count: number }[];
        }) => [
          ...[key, String(version), title, slot, String(runs.reduce((sum, { count }) => sum + count, 0))],
          off === null ? 'on' : 'off',
        ],
        none: 'no agents',
      },
    ),
  );
  forTenant(program.command('channels').description('the channels of a tenant, and how they are')).action(
    async (options: TenantOptions) =>
      showList(
        context,
        { ...options },
        {
          path: '/channels',
          headings: ['CHANNEL', 'KIND', 'LAST INBOUND', 'SENT 24H', 'FAILED 24H', 'STATE'],
          row: ({
            key,
            kind,
            lastInboundAt,
            lately,
            off,
            sends,
          }: {
            key: string;
            kind: string;
            lastInboundAt: string | null;
            lately: { sent: number; failed: number };
            off: object | null;
            sends: boolean;
          }) => [
            ...[key, kind, lastInboundAt ?? '–', String(lately.sent), String(lately.failed)],
            off !== null ? 'off' : sends ? 'on' : 'only tells: give it a url and it can send',
          ],
          none: 'no channels: name some in tenants.<tenant>.channels of attache.config.json',
        },
      ),
  );
  forTenant(program.command('topics').description('topics that live runs follow')).action(
    async (options: TenantOptions) =>
      showList(
        context,
        { ...options },
        {
          path: '/topics',
          headings: ['TOPIC', 'FOLLOWERS'],
          row: ({ topic, followers }: { topic: string; followers: number }) => [topic, String(followers)],
          none: 'no run follows a topic',
        },
      ),
  );
  conversationCommands(program, context);
}

function conversationCommands(program: Command, context: Context): void {
  const conversations = program.command('conversations').description('conversations, and what was said in them');
  forPages(conversations.command('list', { isDefault: true }).description('the newest first'))
    .option('--owner <owner>', 'agent, human or none')
    .option('--open', 'only those that are open')
    .option('--q <text>', 'in id, name and address')
    .action(async (options: PageOptions) =>
      showList(
        context,
        { ...options },
        {
          path: '/conversations',
          headings: ['CONVERSATION', 'OWNER', 'CHANNEL', 'LAST INBOUND', 'STATE'],
          row: ({ id, owner, channel, lastInboundAt, closedAt }: Conversation) => [
            ...[id, owner, channel ?? '–', lastInboundAt ?? '–', closedAt === null ? 'open' : 'closed'],
          ],
          none: 'no conversations',
        },
      ),
    );
  forTenant(conversations.command('show').argument('<conversation>', 'its id').description('one of them')).action(
    async (text: string, options: TenantOptions) => {
      const { tenant, conversation } = conversationArgument(text, options.tenant);
      const found = await context.api().get(tenant, `/conversations/${encodeURIComponent(conversation)}`);
      const plainFields = Object.entries(found as object).map(([name, value]): [string, string] => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
      context.terminal.out(options.json ? json(found) : fields(plainFields));
    },
  );
  forPages(conversations.command('messages').argument('<conversation>', 'its id').description('its transcript')).action(
    async (text: string, options: PageOptions) => {
      const { tenant, conversation } = conversationArgument(text, options.tenant);
      const path = `/conversations/${encodeURIComponent(conversation)}/messages`;
      await showList(
        context,
        { ...options, tenant },
        {
          path,
          headings: ['AT', 'AUTHOR', 'STATUS', 'TEXT'],
          row: ({ at, author, by, status, text: said, kind }: MessageRecord) => [
            at,
            by ?? author,
            status ?? '',
            said ?? `(${kind})`,
          ],
          none: 'nothing was said yet',
        },
      );
    },
  );
  forTenant(conversations.command('embed').argument('<conversation>', 'its id'))
    .description('the address of its panel, for the page of a CRM')
    .option('--ttl <duration>', '1s to 12h; 1h unless said otherwise')
    .option('--origin <origin>', 'of the page that may frame it; default the CRM of the configuration')
    .option('--act <act...>', 'what may be done there, such as takeover')
    .option('--by <name>', 'for whom')
    .action(async (text: string, options: EmbedOptions) => embed(context, text, options));
}

interface EmbedOptions extends TenantOptions {
  readonly ttl?: string;
  readonly origin?: string;
  readonly act?: readonly string[];
  readonly by?: string;
}

async function embed({ api, terminal }: Context, text: string, options: EmbedOptions): Promise<void> {
  const { tenant, conversation } = conversationArgument(text, options.tenant);
  const { ttl, origin, act: allowedActs, by } = options;
  if (ttl !== undefined) durationOption('--ttl', ttl);
  const { body } = await api().post(tenant, '/embed-tokens', { conversation, ttl, origin, allowedActs, by });
  terminal.out(options.json ? json(body) : `${(body as { url: string }).url}\n`);
}

async function outcomes(
  { api, terminal }: Context,
  { tenant, json: asJson, csv, ...query }: OutcomeOptions,
): Promise<void> {
  if (!GROUPS.includes(query.by)) throw usage(`--by must be one of ${GROUPS.join(', ')}, not "${query.by}"`);
  const [from, to] = [instantOption('--from', query.from), instantOption('--to', query.to)];
  const found = (await api().get(tenantOption(tenant), '/outcomes', { ...query, from, to })) as Outcomes;
  const rows = [...found.items, { ...found.total, group: 'all' }].map((one) => [
    ...[one.group, String(one.ended), percent(one.completion), percent(one.takeover), percent(one.failure)],
    ...[String(one.ticks), one.costUsd === null ? '–' : one.costUsd.toFixed(2)],
  ]);
  const headings = [query.by.toUpperCase(), 'ENDED', 'COMPLETED', 'TAKEN OVER', 'FAILED', 'TICKS', 'COST USD'];
  if (asJson) terminal.out(json(found));
  else if (csv) terminal.out([headings, ...rows].map((row) => `${row.map(quoted).join(',')}\n`).join(''));
  else terminal.out(table(headings, rows, terminal.columns));
}

async function calendar({ api, terminal }: Context, { tenant, json: asJson }: TenantOptions): Promise<void> {
  const found = (await api().get(tenantOption(tenant), '/calendar')) as Calendar & Page<unknown>;
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

function quoted(cell: string): string {
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

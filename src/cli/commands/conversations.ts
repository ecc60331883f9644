/** Conversations, what was said in them, and the address of a panel that shows one. */
import type { Command } from 'commander';
import type { MessageRecord } from '../../desk/desk.ts';
import type { Conversation, ListedConversation } from '../../http/answers/conversations.ts';
import { choice } from '../choices.ts';
import type { Context } from '../context.ts';
import { forPages, forTenant, showList, type Listing, type PageOptions, type TenantOptions } from '../listing.ts';
import { conversationArgument, durationOption } from '../names.ts';
import { runsTable } from '../shown-runs.ts';
import { fields, json } from '../terminal.ts';

interface EmbedOptions extends TenantOptions {
  readonly ttl?: string;
  readonly origin?: string;
  readonly act?: readonly string[];
  readonly by?: string;
}

const CONVERSATIONS = {
  path: '/conversations',
  headings: ['CONVERSATION', 'OWNER', 'CHANNEL', 'LAST INBOUND', 'STATE'],
  spare: ['CHANNEL'],
  row: ({ id, owner, channel, lastInboundAt, closedAt }: ListedConversation) => [
    ...[id, owner, channel ?? '–', lastInboundAt ?? '–', closedAt === null ? 'open' : 'closed'],
  ],
  none: 'no conversations',
} satisfies Listing;

const TRANSCRIPT = {
  headings: ['AT', 'AUTHOR', 'STATUS', 'TEXT'],
  row: ({ at, author, by, status, text, kind }: MessageRecord) => [
    ...[at, by ?? author, status ?? ''],
    text ?? `(${kind})`,
  ],
  none: 'nothing was said yet',
} satisfies Omit<Listing, 'path'>;

export function conversationCommands(program: Command, context: Context): void {
  const conversations = program.command('conversations').description('conversations, and what was said in them');
  forPages(conversations.command('list', { isDefault: true }).description('the newest first'))
    .addOption(choice('--owner <owner>', ['agent', 'human', 'none'], 'in whose hands'))
    .option('--open', 'only those that are open')
    .option('--q <text>', 'in id, name and address')
    .action(async (options: PageOptions) => showList(context, { ...options }, CONVERSATIONS));
  forTenant(conversations.command('show').argument('<conversation>', 'its id').description('one of them')).action(
    async (text: string, options: TenantOptions) => show(context, text, options),
  );
  forPages(conversations.command('messages').argument('<conversation>', 'its id').description('its transcript')).action(
    async (text: string, options: PageOptions) => {
      const { tenant, conversation } = conversationArgument(text, options.tenant);
      const path = `/conversations/${encodeURIComponent(conversation)}/messages`;
      await showList(context, { ...options, tenant }, { ...TRANSCRIPT, path });
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

async function show({ api, terminal }: Context, text: string, options: TenantOptions): Promise<void> {
  const { tenant, conversation } = conversationArgument(text, options.tenant);
  const found = (await api().get(tenant, `/conversations/${encodeURIComponent(conversation)}`)) as Conversation;
  if (options.json) {
    terminal.out(json(found));
    return;
  }
  terminal.out(fields(partsOf(found)));
  if (found.runs.length > 0) terminal.out(`\n${runsTable(found.runs, terminal.columns)}`);
}

/** What is not known, or did not happen, is left out. */
function partsOf({ contact, window, ...one }: Conversation): (readonly [string, string])[] {
  const parts: (readonly [string, string | null | undefined])[] = [
    ['id', one.id],
    ['channel', one.channel],
    ['owner', `${one.owner}, since ${one.ownerSince}`],
    ['state', one.closedAt === null ? `open since ${one.openedAt}` : `closed since ${one.closedAt}`],
    ['contact', contact === null ? 'nobody is known yet: what agents say waits' : (contact.name ?? 'without a name')],
    ['time zone', contact?.timeZone],
    ['language', contact?.locale],
    ['country', contact?.country],
    ['opted out', contact?.optedOutAt],
    ['no marketing since', contact?.marketingStoppedAt],
    ['last inbound', one.lastInboundAt],
    ['last outbound', one.lastOutboundAt],
    ['last by a human', one.lastHumanOutboundAt],
    ['free text', window && `${window.open ? 'until' : 'no more since'} ${window.until}`],
  ];
  return parts.filter((part): part is readonly [string, string] => part[1] != null);
}

async function embed({ api, terminal }: Context, text: string, options: EmbedOptions): Promise<void> {
  const { tenant, conversation } = conversationArgument(text, options.tenant);
  const { ttl, origin, act: allowedActs, by } = options;
  if (ttl !== undefined) durationOption('--ttl', ttl);
  const { body } = await api().post(tenant, '/embed-tokens', { conversation, ttl, origin, allowedActs, by });
  terminal.out(options.json ? json(body) : `${(body as { url: string }).url}\n`);
}

/** Speak as the customer of a simulated conversation, and hear what the agent says. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { MessageRecord, Page } from '../../desk/desk.ts';
import type { EventAnswer } from '../../http/deps.ts';
import type { Api } from '../api.ts';
import type { Context } from '../context.ts';
import { conversationArgument, durationOption } from '../names.ts';
import { CommandError, EXIT, usage } from '../outcome.ts';
import { json, plain } from '../terminal.ts';

/** Often enough to feel immediate, rarely enough not to matter. */
const POLL_MS = 200;
/** An answer of several messages is sent within this of one another. */
const QUIET_MS = 1_000;

interface SayOptions {
  readonly tenant: string;
  readonly wait: string;
  readonly json?: true;
}

export function sayCommand(program: Command, context: Context): void {
  program
    .command('say')
    .description('speak in a simulated conversation, and print the answer')
    .argument('<conversation>', 'such as 1, or demo/conversation/1')
    .argument('<text...>', 'what the customer says')
    .option('--tenant <tenant>', 'whose', 'demo')
    .option('--wait <duration>', 'how long to wait for an answer; 0s: not at all', '30s')
    .option('--json', 'print the answer’s messages')
    .action(async (conversation: string, text: string[], options: SayOptions) =>
      say(context, conversation, text.join(' '), options),
    );
}

async function say({ api, terminal }: Context, name: string, text: string, options: SayOptions): Promise<void> {
  const { tenant, conversation, subject } = conversationArgument(name, options.tenant);
  const waitMs = durationOption('--wait', options.wait);
  if (text.trim() === '') throw usage('text must not be empty');
  const client = api();
  await assertSimulated(client, tenant);
  const before = new Set((await transcript(client, tenant, conversation)).map(({ id }) => id));
  const event = {
    id: `say-${randomUUID()}`,
    source: 'cli',
    type: 'message.inbound',
    subject,
    time: new Date().toISOString(),
    data: { content: { kind: 'text', text } },
  };
  const { body } = await client.post(tenant, '/events', event);
  const [answer] = (body as { items: EventAnswer[] }).items;
  if (answer?.result === 'rejected')
    throw new CommandError(EXIT.usage, `the server refused it: ${answer.problem?.detail ?? ''}`, {
      problem: answer.problem,
    });
  if (waitMs === 0) {
    terminal.out(options.json ? json({ items: [], nextCursor: null }) : 'said\n');
    return;
  }

  const place = { tenant, conversation, subject };
  if (await isHeldByHuman(client, place))
    throw new CommandError(EXIT.failed, 'said, and no agent will answer: a human has the conversation', {
      remedy: handBackOf(place),
    });
  const items = await answersIn(client, { tenant, conversation, before, waitMs });
  if (items.length === 0)
    throw new CommandError(EXIT.failed, `nobody answered within ${options.wait}`, {
      remedy: (await isHeldByHuman(client, place))
        ? handBackOf(place)
        : `Is an agent attached? npx attache runs --tenant ${tenant} --subject ${subject}`,
    });
  if (options.json) {
    terminal.out(json({ items, nextCursor: null }));
    return;
  }
  for (const message of items) terminal.out(`${message.author}: ${wordsOf(message)}\n`);
}

/** What is said to a tenant without one would be stored, and answered by nobody. @throws {CommandError} */
async function assertSimulated(client: Api, tenant: string): Promise<void> {
  const { items } = (await client.get(tenant, '/channels')) as Page<{ key: string; kind: string }>;
  if (items.some(({ kind }) => kind === 'simulated')) return;
  const has = items.length === 0 ? 'no channel at all' : `only ${items.map(({ key }) => key).join(', ')}`;
  throw new CommandError(EXIT.usage, `tenant ${tenant} has no simulated channel to speak in: it has ${has}`, {
    remedy:
      'Name another tenant with --tenant, or give this one {"kind": "simulated"} among its channels in attache.config.json.',
  });
}

interface Place {
  readonly tenant: string;
  readonly conversation: string;
  readonly subject: string;
}

async function isHeldByHuman(client: Api, { tenant, conversation }: Place): Promise<boolean> {
  const { owner } = (await client.get(tenant, `/conversations/${conversation}`).catch(() => ({}))) as {
    owner?: string;
  };
  return owner === 'human';
}

function handBackOf({ tenant, subject }: Place): string {
  return `A human has it: npx attache handback ${tenant}/${subject}/answering gives it back.`;
}

async function answersIn(
  client: Api,
  {
    tenant,
    conversation,
    before,
    waitMs,
  }: { tenant: string; conversation: string; before: ReadonlySet<string>; waitMs: number },
): Promise<MessageRecord[]> {
  const isNewAnswer = (message: MessageRecord): boolean =>
    message.direction === 'out' && !message.private && !before.has(message.id);
  let answers: MessageRecord[] = [];
  let deadline = Date.now() + waitMs;
  while (Date.now() < deadline) {
    const found = (await transcript(client, tenant, conversation)).filter(isNewAnswer);
    if (found.length > answers.length) deadline = Math.min(deadline, Date.now() + QUIET_MS);
    answers = found;
    await sleep(POLL_MS);
  }
  return answers;
}

/** Its newest messages; none when the desk has not heard of it. */
async function transcript(client: Api, tenant: string, conversation: string): Promise<readonly MessageRecord[]> {
  try {
    return ((await client.get(tenant, `/conversations/${conversation}/messages`)) as Page<MessageRecord>).items;
  } catch (error) {
    if (error instanceof CommandError && error.exit === EXIT.notFound) return [];
    throw error;
  }
}

function wordsOf({ text, kind }: MessageRecord): string {
  return text === null ? `(${kind})` : text.split('\n').map(plain).join('\n');
}

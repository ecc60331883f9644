/**
 * A Chatwoot on a loopback port: the few REST calls Attaché makes, and the signed webhooks that tell what people do
 * there. Like the real one it has no idempotency key, tells every message back to its writer, and posts once only.
 */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { SimulatedAttachments } from './chatwoot-files.ts';
import { BOT, CONTACT, conversationBody, HUMAN, listedBody, messageBody, restBody } from './chatwoot-bodies.ts';
import { ChatwootWebhooks } from './chatwoot-webhooks.ts';
import { answer, simulatorServer, textOf } from './simulator-http.ts';
import type {
  ChatwootMessage,
  ChatwootSimulator,
  ChatwootSimulatorOptions,
  ConversationStatus,
  SimulatedAttachment,
  SimulatedConversation,
  WriteTrouble,
} from './chatwoot-simulator.ts';

export async function startChatwootSimulator(options: ChatwootSimulatorOptions): Promise<ChatwootSimulator> {
  const simulator = new Simulator(options);
  await simulator.listen(options.port ?? 0);
  return simulator;
}

const PAGE = 20;
const LIST_PAGE = 25;

type Optional = 'private' | 'attributes' | 'files' | 'campaign';
type NewMessage = Omit<ChatwootMessage, 'id' | 'at' | Optional> & Partial<Pick<ChatwootMessage, Optional>>;

class Simulator implements ChatwootSimulator {
  readonly messages: ChatwootMessage[] = [];
  private readonly options: ChatwootSimulatorOptions;
  private readonly server: Server;
  private readonly conversations = new Map<number, SimulatedConversation>();
  private readonly troubles: WriteTrouble[] = [];
  private readonly webhooks: ChatwootWebhooks;
  private readonly files = new SimulatedAttachments();
  private clock: number | undefined;

  constructor(options: ChatwootSimulatorOptions) {
    this.options = options;
    this.webhooks = new ChatwootWebhooks(options);
    this.server = simulatorServer((request, response) => {
      this.handle(request, response).catch(() => response.destroy());
    });
  }

  async listen(port: number): Promise<void> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  conversation(id: number): SimulatedConversation {
    const known = this.conversations.get(id);
    if (known !== undefined) return known;
    const begun: SimulatedConversation = {
      id,
      createdAt: this.now(),
      status: 'pending',
      assignee: null,
      team: null,
      canReply: true,
      lastActivityAt: this.now(),
      updatedAt: this.now(),
    };
    this.conversations.set(id, begun);
    return begun;
  }

  failNext(trouble: WriteTrouble): void {
    this.troubles.push(trouble);
  }

  async customerSays(
    conversation: number,
    text: string,
    ...files: readonly SimulatedAttachment[]
  ): Promise<ChatwootMessage> {
    const isNew = !this.conversations.has(conversation);
    if (isNew) await this.webhooks.tell('conversation_created', conversationBody(this.conversation(conversation)));
    if (this.conversation(conversation).status === 'resolved') await this.setStatus(conversation, 'pending');
    return this.write({ conversation, content: text, type: 'incoming', sender: CONTACT, files });
  }

  async attach(id: number, ...files: readonly SimulatedAttachment[]): Promise<void> {
    const message = this.messages[id - 1];
    if (message === undefined) throw new Error(`there is no message ${id}`);
    const filled = { ...message, files: [...message.files, ...files] };
    this.messages[id - 1] = filled;
    await this.tellMessage('message_updated', filled);
  }

  humanReplies(
    conversation: number,
    text: string,
    { private: isPrivate = false, fromPhone = false } = {},
  ): Promise<ChatwootMessage> {
    const attributes = fromPhone ? { external_echo: true } : {};
    return this.write({
      conversation,
      content: text,
      type: 'outgoing',
      sender: fromPhone ? null : HUMAN,
      private: isPrivate,
      attributes,
    });
  }

  robotSays(conversation: number, text: string): Promise<ChatwootMessage> {
    return this.write({ conversation, content: text, type: 'template', sender: null });
  }

  campaignSays(conversation: number, text: string): Promise<ChatwootMessage> {
    return this.write({ conversation, content: text, type: 'outgoing', sender: HUMAN, campaign: 5 });
  }

  async assign(conversation: number, person: string | null): Promise<void> {
    const row = this.conversation(conversation);
    const idOf = (name: string | null) => (name === null ? null : HUMAN.id);
    const change = { assignee_id: { previous_value: idOf(row.assignee), current_value: idOf(person) } };
    row.assignee = person;
    // Chatwoot writes a line about it into the conversation, which stirs it.
    row.updatedAt = row.lastActivityAt = this.now();
    await this.webhooks.tell('conversation_updated', { ...conversationBody(row), changed_attributes: [change] });
  }

  async setStatus(conversation: number, status: ConversationStatus): Promise<void> {
    const row = this.conversation(conversation);
    const change = { status: { previous_value: row.status, current_value: status } };
    row.status = status;
    row.updatedAt = row.lastActivityAt = this.now();
    await this.webhooks.tell('conversation_status_changed', { ...conversationBody(row), changed_attributes: [change] });
  }

  setCanReply(conversation: number, canReply: boolean): void {
    this.conversation(conversation).canReply = canReply;
  }

  setClock(now: number | undefined): void {
    this.clock = now;
  }

  loseWebhooks(lose: boolean): void {
    this.webhooks.lost = lose;
  }

  async close(): Promise<void> {
    this.webhooks.close();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async write(message: NewMessage): Promise<ChatwootMessage> {
    const taken = this.take(message);
    await this.tellMessage('message_created', taken);
    return taken;
  }

  private async tellMessage(event: string, message: ChatwootMessage): Promise<void> {
    const row = this.conversation(message.conversation);
    await this.webhooks.tell(event, messageBody(message, this.options.accountId, row, this.attachmentsOf(message)));
  }

  private take(message: NewMessage): ChatwootMessage {
    const at = this.now();
    const plain = { private: false, attributes: {}, files: [], campaign: null };
    const taken = { ...plain, ...message, id: this.messages.length + 1, at };
    const row = this.conversation(message.conversation);
    row.lastActivityAt = row.updatedAt = at;
    this.messages.push(taken);
    this.options.onMessage?.(taken);
    return taken;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await pause(this.options.latencyMs ?? 0);
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    const text = await textOf(request);
    if (this.files.serve(pathname, response)) return;
    const path = pathname.replace(`/api/v1/accounts/${this.options.accountId}`, '');
    if (request.headers['api_access_token'] !== this.options.apiToken) {
      answer(response, 401, { error: 'Invalid Access Token' });
      return;
    }
    if (path === '/conversations') {
      answer(response, 200, this.list(Number(searchParams.get('page') ?? 1)));
      return;
    }
    if (path === '/teams') {
      answer(response, 200, this.teams());
      return;
    }
    const [, id, action] = /^\/conversations\/(\d+)(?:\/(\w+))?$/.exec(path) ?? [];
    const row = id === undefined ? undefined : this.conversations.get(Number(id));
    if (row === undefined) {
      answer(response, 404, { error: 'Resource could not be found' });
      return;
    }
    if (request.method === 'GET') {
      answer(
        response,
        200,
        action === 'messages' ? this.page(row.id, searchParams.get('before')) : conversationBody(row),
      );
      return;
    }
    await this.change(row, action, JSON.parse(text) as Record<string, unknown>, response);
  }

  private async change(
    row: SimulatedConversation,
    action: string | undefined,
    body: Record<string, unknown>,
    response: ServerResponse,
  ): Promise<void> {
    switch (action) {
      case 'messages':
        await this.postMessage(row, body, response);
        return;
      case 'toggle_status':
        await this.setStatus(row.id, body['status'] as ConversationStatus);
        answer(response, 200, { payload: { success: true, current_status: row.status } });
        return;
      case 'assignments':
        row.team = this.teams().find((team) => team.id === body['team_id'])?.name ?? null;
        answer(response, 200, { id: body['team_id'] });
        return;
      default:
        answer(response, 404, {});
    }
  }

  /** The webhook goes out before the answer: an echo may come before its writer knows the id. */
  private async postMessage(
    row: SimulatedConversation,
    body: Record<string, unknown>,
    response: ServerResponse,
  ): Promise<void> {
    const trouble = this.troubles.shift();
    if (trouble?.kind === 'refuse') {
      answer(response, trouble.status, { error: 'simulated' });
      return;
    }
    if (trouble?.kind === 'cut' && !trouble.taken) {
      response.destroy();
      return;
    }
    const attributes = (body['content_attributes'] ?? {}) as Record<string, unknown>;
    const message = await this.write({
      conversation: row.id,
      content: String(body['content']),
      type: 'outgoing',
      sender: BOT,
      private: body['private'] === true,
      attributes,
    });
    if (trouble === undefined) answer(response, 200, restBody(message, []));
    else response.destroy();
  }

  private now(): number {
    return this.clock ?? Date.now();
  }

  /** Newest activity first. */
  private list(page: number): object {
    const all = [...this.conversations.values()].sort((one, other) => other.lastActivityAt - one.lastActivityAt);
    const newestOf = (id: number) => this.messages.findLast(({ conversation }) => conversation === id);
    const payload = all
      .slice((page - 1) * LIST_PAGE, page * LIST_PAGE)
      .map((row) => listedBody(row, newestOf(row.id) ?? null));
    return { data: { meta: { all_count: all.length }, payload } };
  }

  private attachmentsOf({ id, files }: ChatwootMessage): readonly object[] {
    return this.files.bodiesOf(id, files, this.url);
  }

  private page(conversation: number, before: string | null): object {
    const all = this.messages.filter(
      (message) => message.conversation === conversation && (before === null || message.id < Number(before)),
    );
    return { meta: {}, payload: all.slice(-PAGE).map((message) => restBody(message, this.attachmentsOf(message))) };
  }

  private teams(): { id: number; name: string }[] {
    return (this.options.teams ?? []).map((name, index) => ({ id: index + 1, name }));
  }
}

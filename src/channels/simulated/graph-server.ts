/**
 * WhatsApp on a loopback port: the Graph endpoint that takes messages, and the webhooks that bring people's own.
 *
 * It behaves like Meta where that can hurt: every accepted POST gets a new id and is delivered, however often it is
 * repeated; answers can be lost; statuses carry `biz_opaque_callback_data`. Used by tests and the demo.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  echoUpdate,
  messageUpdate,
  preferenceUpdate,
  statusUpdate,
  type MessageBody,
  type SimulatedNumber,
  type SimulatedPerson,
  type SimulatedStatus,
  type Update,
} from './webhook-bodies.ts';
import { answer, objectOf, refuse, simulatorServer, textOf } from './simulator-http.ts';
import { SimulatedFiles } from './graph-media.ts';
import { WebhookSender, type Release } from './webhook-sender.ts';
import type {
  Chosen,
  SendTrouble,
  SentMessage,
  WhatsAppSimulator,
  WhatsAppSimulatorOptions,
} from './whatsapp-simulator.ts';

export type { WhatsAppSimulator };

const DAY_MS = 86_400_000;
const TEXT_LIMIT = 4_096;

export async function startWhatsAppSimulator(options: WhatsAppSimulatorOptions): Promise<WhatsAppSimulator> {
  const simulator = new Simulator(options);
  await simulator.listen(options.port ?? 0);
  return simulator;
}

class Simulator implements WhatsAppSimulator {
  readonly received: SentMessage[] = [];
  attempts = 0;
  private readonly options: WhatsAppSimulatorOptions;
  private readonly number: SimulatedNumber;
  private readonly sender: WebhookSender;
  private readonly server: Server;
  private readonly troubles: SendTrouble[] = [];
  private readonly waiting = new Set<() => void>();
  private readonly lastInbound = new Map<string, number>();
  /** Ids are Meta's, so no two simulators give the same, though they start in the same millisecond. */
  private readonly epoch = randomUUID().slice(0, 8);
  readonly files = new SimulatedFiles();
  readonly threads: Readonly<Record<string, unknown>>[] = [];
  private clock: number | undefined;
  private count = 0;

  constructor(options: WhatsAppSimulatorOptions) {
    this.options = options;
    this.number = { phoneNumberId: options.phoneNumberId, displayPhoneNumber: '15550001234' };
    const { webhookUrl, appSecret, retryEveryMs = 500, noise } = options;
    this.sender = new WebhookSender({ webhookUrl, appSecret, retryEveryMs, noise });
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

  failNext(trouble: SendTrouble, times = 1): void {
    this.troubles.push(...Array.from({ length: times }, () => trouble));
  }

  async customerSays(
    from: string | SimulatedPerson,
    message: string | MessageBody,
    chosen: Chosen = {},
  ): Promise<string> {
    const person = typeof from === 'string' ? { phone: from } : from;
    const full = this.stamp(chosen);
    for (const name of [person.phone, person.userId]) if (name !== undefined) this.lastInbound.set(name, full.at);
    await this.sender.send(messageUpdate(this.number, person, bodyOf(message), full), chosen.passage);
    return full.id;
  }

  async humanEchoes(to: string, message: string | MessageBody, chosen: Chosen = {}): Promise<string> {
    const full = this.stamp(chosen);
    await this.sender.send(echoUpdate(this.number, to, bodyOf(message), full), chosen.passage);
    return full.id;
  }

  async prefers(phone: string, value: 'stop' | 'resume', chosen: Pick<Chosen, 'at' | 'passage'> = {}): Promise<void> {
    const { at = this.now(), passage } = chosen;
    await this.sender.send(preferenceUpdate(this.number, phone, value, { at }), passage);
  }

  async reports(sent: SentMessage, status: SimulatedStatus, errorCode?: number): Promise<void> {
    const recipient = sent.to.replace(/^\+/, '');
    const told = { status, recipient, reference: sent.reference, ...(errorCode !== undefined && { errorCode }) };
    await this.sender.send(statusUpdate(this.number, told, { id: sent.id, at: this.now() }));
  }

  post(update: Update): Promise<void> {
    return this.sender.send(update);
  }

  postRaw(body: string | Uint8Array, signature?: string): Promise<number> {
    return this.sender.postRaw(body, signature);
  }

  hold(): void {
    this.sender.hold();
  }

  release(how?: Release): Promise<void> {
    return this.sender.release(how);
  }

  setClock(now: number | undefined): void {
    this.clock = now;
  }

  async waitForSent(count: number): Promise<readonly SentMessage[]> {
    while (this.received.length < count) await new Promise<void>((resolve) => this.waiting.add(resolve));
    return this.received;
  }

  settled(): Promise<void> {
    return this.sender.settled();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await this.sender.close();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = objectOf(await textOf(request));
    if (this.isAuthorized(request) && this.files.serve(request, response, { origin: this.url, now: this.now() }))
      return;
    if (body['status'] !== 'read') this.attempts += 1;
    const refusal = this.objection(request, body);
    if (refusal !== undefined) {
      refuse(response, refusal);
      return;
    }
    if (isThreadControl(request)) this.threads.push(body);
    if (body['status'] === 'read' || isThreadControl(request)) {
      answer(response, 200, { success: true });
      return;
    }
    await pause(this.options.latencyMs ?? 0);
    await this.meet(this.troubles.shift(), body, response);
  }

  /** What Meta itself would refuse. */
  private objection(
    request: IncomingMessage,
    body: Readonly<Record<string, unknown>>,
  ): { status: number; code: number } | undefined {
    const { phoneNumberId, serviceWindow = false } = this.options;
    if (!this.isAuthorized(request)) return { status: 401, code: 190 };
    const path = new RegExp(`/${phoneNumberId}/(?:messages|thread_control)$`);
    if (request.method !== 'POST' || !path.test(request.url ?? '')) return { status: 400, code: 33 };
    if (body['messaging_product'] !== 'whatsapp') return { status: 400, code: 100 };
    if (body['status'] === 'read' || isThreadControl(request)) return undefined;
    const text = bodyText(body);
    if (body['type'] === 'text' && (text === undefined || text === '' || text.length > TEXT_LIMIT))
      return { status: 400, code: 100 };
    const lastInbound = this.lastInbound.get(addressee(body).replace(/^\+/, ''));
    const closed = lastInbound === undefined || this.now() - lastInbound > DAY_MS;
    return serviceWindow && closed && body['type'] !== 'template' ? { status: 400, code: 131047 } : undefined;
  }

  private isAuthorized({ headers }: IncomingMessage): boolean {
    const { accessToken } = this.options;
    return accessToken === undefined || headers.authorization === `Bearer ${accessToken}`;
  }

  private async meet(
    trouble: SendTrouble | undefined,
    body: Readonly<Record<string, unknown>>,
    response: ServerResponse,
  ): Promise<void> {
    switch (trouble?.kind) {
      case 'refuse':
        refuse(response, trouble);
        return;
      case 'cut':
        if (trouble.accepted) this.accept(body);
        response.destroy();
        return;
      case 'hang':
        this.accept(body);
        return;
      case 'garbage':
        this.accept(body);
        response.end('<html>');
        return;
      case 'held':
      case undefined:
        await trouble?.until;
        answer(response, 200, {
          messaging_product: 'whatsapp',
          contacts: [{ input: addressee(body), wa_id: addressee(body).replace(/^\+/, '') }],
          messages: [{ id: this.accept(body, trouble?.id).id }],
        });
    }
  }

  private accept(body: Readonly<Record<string, unknown>>, id = this.nextId()): SentMessage {
    const reference = body['biz_opaque_callback_data'];
    const template = body['template'];
    const sent: SentMessage = {
      id,
      to: addressee(body),
      reference: typeof reference === 'string' ? reference : undefined,
      text: bodyText(body),
      template:
        typeof template === 'object' && template !== null && 'name' in template ? String(template.name) : undefined,
      body,
      acceptedAt: Date.now(),
    };
    this.received.push(sent);
    this.options.onAccepted?.(sent);
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
    for (const status of this.options.statuses ?? ['sent', 'delivered']) void this.reports(sent, status);
    return sent;
  }

  private stamp({ id, at }: Chosen): { id: string; at: number } {
    return { id: id ?? this.nextId(), at: at ?? this.now() };
  }

  private nextId(): string {
    this.count += 1;
    return `wamid.SIM.${this.epoch}.${this.count}`;
  }

  private now(): number {
    return this.clock ?? Date.now();
  }
}

function isThreadControl({ url = '' }: IncomingMessage): boolean {
  return url.endsWith('/thread_control');
}

function bodyOf(message: string | MessageBody): MessageBody {
  return typeof message === 'string' ? { type: 'text', text: { body: message } } : message;
}

function addressee(body: Readonly<Record<string, unknown>>): string {
  const to = body['to'] ?? body['recipient'];
  return typeof to === 'string' ? to : '';
}

function bodyText(body: Readonly<Record<string, unknown>>): string | undefined {
  const { text } = body as { text?: { body?: unknown } };
  return typeof text?.body === 'string' ? text.body : undefined;
}

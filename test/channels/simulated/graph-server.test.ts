import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { startWhatsAppSimulator } from '../../../src/channels/simulated/graph-server.ts';
import type {
  WhatsAppSimulator,
  WhatsAppSimulatorOptions,
} from '../../../src/channels/simulated/whatsapp-simulator.ts';
import { parseWhatsAppWebhook } from '../../../src/channels/whatsapp/parse-webhook.ts';
import { signedBy } from '../../../src/channels/whatsapp/verify.ts';
import { TENANT } from '../whatsapp/samples.ts';

/** A webhook that takes what the simulator posts, as the product does. */
class Receiver {
  readonly bodies: Buffer[] = [];
  /** Statuses of the next answers; then 200. */
  readonly answers: number[] = [];
  readonly server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const signature = String(request.headers['x-hub-signature-256']);
      const status =
        signedBy({ body, signature, appSecrets: ['secret'] }) === undefined ? 401 : (this.answers.shift() ?? 200);
      if (status === 200) this.bodies.push(body);
      response.writeHead(status).end();
    });
  });

  events(): { id: string; type: string; data: Record<string, unknown> }[] {
    return this.bodies.flatMap((body) => {
      const { items, unreadable } = parseWhatsAppWebhook({ tenant: TENANT, body, phoneNumberIds: ['100'] });
      assert.deepEqual(unreadable, []);
      return items.map((item) => item.event as unknown as { id: string; type: string; data: Record<string, unknown> });
    });
  }
}

describe('the WhatsApp simulator', () => {
  let receiver: Receiver;
  let simulator: WhatsAppSimulator;
  const start = async (options: Partial<WhatsAppSimulatorOptions> = {}) => {
    const { port } = receiver.server.address() as { port: number };
    simulator = await startWhatsAppSimulator({
      phoneNumberId: '100',
      appSecret: 'secret',
      webhookUrl: `http://127.0.0.1:${port}/`,
      retryEveryMs: 5,
      ...options,
    });
    return simulator;
  };
  const send = (body: object) =>
    fetch(`${simulator.url}/100/messages`, {
      method: 'POST',
      body: JSON.stringify({
        messaging_product: 'whatsapp',
        to: '+12025550123',
        type: 'text',
        text: { body: 'Hi' },
        ...body,
      }),
    });

  beforeEach(async () => {
    receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    await simulator.close();
    receiver.server.closeAllConnections();
    receiver.server.close();
  });

  it('posts what a customer says, signed and escaped as Meta does', async () => {
    await start();
    const id = await simulator.customerSays('12025550123', 'Olá 👍 a/b');
    assert.deepEqual(
      receiver.events().map((event) => [event.id, event.data['content']]),
      [[id, { kind: 'text', text: 'Olá 👍 a/b' }]],
    );
    assert.match(receiver.bodies[0]?.toString('latin1') ?? '', /Ol\\u00e1 \\ud83d\\udc4d a\\\/b/);
  });

  it('posts again until it is answered 200', async () => {
    await start();
    receiver.answers.push(500, 503, 302);
    await simulator.customerSays('12025550123', 'Hi');
    assert.equal(receiver.events().length, 1);
  });

  it('gives every accepted send a new id and reports it with the reference', async () => {
    await start({ statuses: ['sent', 'delivered', 'read'] });
    await send({ biz_opaque_callback_data: 'ref-1' });
    await send({ biz_opaque_callback_data: 'ref-1' });
    await simulator.settled();
    assert.equal(new Set(simulator.received.map((sent) => sent.id)).size, 2);
    assert.equal(receiver.events().length, 6);
    assert.ok(
      receiver.events().every((event) => event.type === 'message.status' && event.data['reference'] === 'ref-1'),
    );
  });

  it('lets held updates go reversed, in batches and several times', async () => {
    await start();
    simulator.hold();
    for (const text of ['one', 'two', 'three']) await simulator.customerSays('12025550123', text, { id: text });
    assert.equal(receiver.bodies.length, 0);
    await simulator.release({ order: 'reversed', batch: 2, copies: 2 });
    assert.deepEqual(
      receiver.events().map((event) => event.id),
      ['three', 'two', 'three', 'two', 'one', 'one'],
    );
  });

  it('with noise repeats, delays and loses posts, and yet everything arrives', async () => {
    await start({ noise: { seed: 7, duplicated: 0.3, late: 0.3, lateByMs: 20, dropped: 0.2 } });
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => simulator.customerSays('12025550123', 'Hi', { id: `wamid.${n}` })),
    );
    const ids = receiver.events().map((event) => event.id);
    assert.equal(new Set(ids).size, 40);
    assert.ok(ids.length > 40);
  });

  it('posts that a person stops marketing messages and resumes them, as two facts also within one second', async () => {
    await start({ statuses: [] });
    simulator.setClock(Date.UTC(2026, 0, 1));
    await simulator.prefers('12025550123', 'stop');
    await simulator.prefers('12025550123', 'resume');
    assert.deepEqual(
      receiver.events().map(({ type, data }) => [type, data]),
      [
        ['contact.updated', { marketing: 'stopped' }],
        ['contact.updated', { marketing: 'resumed' }],
      ],
    );
    assert.equal(new Set(receiver.events().map(({ id }) => id)).size, 2);
  });

  it('posts what a human typed into the phone app, and a failure when told to', async () => {
    await start({ statuses: [] });
    await simulator.humanEchoes('12025550123', 'I take over');
    await send({});
    const [sent] = simulator.received;
    assert.ok(sent !== undefined);
    await simulator.reports(sent, 'failed', 131026);
    assert.deepEqual(
      receiver.events().map((event) => event.type),
      ['message.outbound', 'message.status'],
    );
    assert.equal((receiver.events()[1]?.data['error'] as { code: string }).code, '131026');
  });

  it('closes the service window 24 hours after the last message, by its own clock', async () => {
    await start({ serviceWindow: true, statuses: [] });
    assert.equal((await send({})).status, 400);
    simulator.setClock(Date.UTC(2026, 0, 1));
    await simulator.customerSays('12025550123', 'Hi');
    simulator.setClock(Date.UTC(2026, 0, 2));
    assert.equal((await send({})).status, 200);
    simulator.setClock(Date.UTC(2026, 0, 2) + 1_000);
    assert.equal(((await (await send({})).json()) as { error: { code: number } }).error.code, 131047);
    assert.equal((await send({ type: 'template', template: { name: 't' } })).status, 200);
  });
});

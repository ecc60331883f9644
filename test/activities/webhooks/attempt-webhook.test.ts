import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWebhookActivities, type WebhookTarget } from '../../../src/activities/webhooks/attempt-webhook.ts';
import { openTestDesk, type TestDesk } from '../../support/desk.ts';
import { aConversation, ACME, aRun, at } from '../../support/facts.ts';
import { SILENT } from '../../support/given.ts';
import { opened, SECRET, startReceiver, type Receiver } from '../../support/receiver.ts';

const OLD_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

describe('an attempt to deliver a webhook', () => {
  let store: TestDesk;
  let receiver: Receiver;
  let target: WebhookTarget | undefined;
  before(async () => {
    store = await openTestDesk('PGlite', { subscribers: () => ['crm'] });
    receiver = await startReceiver();
  });
  beforeEach(() => {
    receiver.received.length = 0;
    receiver.answer({ status: 204 });
    target = { url: receiver.url, secret: SECRET, allowPrivateNetwork: true };
  });
  after(async () => {
    await receiver.close();
    await store.close();
  });

  async function attempt({ nextInMs = 5_000, ...patience }: { nextInMs?: number | null; timeoutMs?: number } = {}) {
    const { outbox, runs } = store.desk;
    await runs.insertIfAbsent(aRun(aConversation().subject));
    const [delivery] = (await outbox.list({ tenant: ACME, limit: 1 })).items;
    assert.ok(delivery !== undefined);
    const again = async (round = 0) =>
      createWebhookActivities({
        desk: store.desk,
        endpoint: () => target,
        log: SILENT,
        clock: () => Date.parse(at('12:00:00')),
        ...patience,
      }).attemptWebhook({ tenant: ACME, delivery: delivery.id, round, nextInMs });
    const attempted = await again();
    const kept = await outbox.get(ACME, delivery.id);
    assert.ok(kept !== null);
    return { attempted, kept, again };
  }

  it('posts a signed CloudEvent whose id is that of the delivery, and is over once it was taken', async () => {
    const { attempted, kept } = await attempt();
    const [received] = receiver.received;
    assert.ok(received !== undefined);
    assert.equal(opened(received)['id'], kept.id);
    assert.equal(received.headers['webhook-id'], kept.id);
    assert.match(received.headers['content-type'] ?? '', /^application\/cloudevents\+json/);
    assert.deepEqual(attempted, { result: 'over' });
    assert.deepEqual([kept.state, kept.attempts, kept.lastStatus], ['delivered', 1, 204]);
  });

  it('signs with both secrets while one is being changed', async () => {
    target = { url: receiver.url, secret: SECRET, previousSecret: OLD_SECRET, allowPrivateNetwork: true };
    await attempt();
    const [received] = receiver.received;
    assert.ok(received !== undefined);
    assert.equal(opened(received, SECRET)['id'], opened(received, OLD_SECRET)['id']);
  });

  for (const status of [302, 404, 429, 500])
    it(`is made again after ${status}, when the schedule says`, async () => {
      receiver.answer({ status, headers: { location: receiver.url } });
      const { attempted, kept } = await attempt({ nextInMs: 5_000 });
      assert.deepEqual(attempted, { result: 'again', inMs: 5_000 });
      assert.equal(receiver.received.length, 1);
      assert.deepEqual([kept.state, kept.lastStatus], ['pending', status]);
      assert.equal(kept.nextAttemptAt, at('12:00:05'));
    });

  it('waits as long as the receiver asks, and never less than the schedule says', async () => {
    receiver.answer({ status: 503, headers: { 'retry-after': '120' } });
    assert.deepEqual((await attempt({ nextInMs: 5_000 })).attempted, { result: 'again', inMs: 120_000 });
    assert.deepEqual((await attempt({ nextInMs: 300_000 })).attempted, { result: 'again', inMs: 300_000 });
  });

  it('says why there was no answer: silence, a cut connection, another protocol, nobody there', async () => {
    receiver.answer('silence');
    assert.equal((await attempt({ timeoutMs: 300 })).kept.lastError, 'no answer within 0.3 s');
    receiver.answer('drop');
    assert.match((await attempt()).kept.lastError ?? '', /ECONNRESET|hang up/);
    receiver.answer('upgrade');
    assert.match((await attempt()).kept.lastError ?? '', /closed without an answer/);
    target = { url: 'http://127.0.0.1:9/', secret: SECRET, allowPrivateNetwork: true };
    assert.match((await attempt()).kept.lastError ?? '', /ECONNREFUSED/);
  });

  it('has failed when it was the last', async () => {
    receiver.answer({ status: 500 });
    const { attempted, kept } = await attempt({ nextInMs: null });
    assert.deepEqual([attempted.result, kept.state, kept.lastError], ['over', 'failed', 'HTTP 500']);
  });

  it('switches the endpoint off at 410, and holds what met it and what comes after', async () => {
    receiver.answer({ status: 410 });
    const { kept, again } = await attempt();
    assert.equal(kept.state, 'held');
    const redelivered = await store.desk.outbox.redeliver(ACME, kept.id);
    assert.equal(redelivered?.state, 'pending');
    assert.deepEqual(await again(1), { result: 'over' });
    assert.equal((await store.desk.outbox.get(ACME, kept.id))?.state, 'held');
    assert.equal(receiver.received.length, 1);
    await store.desk.outbox.switchOn({ tenant: ACME, endpoint: 'crm', redeliverHeld: false });
  });

  it('is not made twice for one that was taken, nor for an endpoint that the configuration has lost', async () => {
    const { again } = await attempt();
    assert.deepEqual(await again(), { result: 'over' });
    assert.equal(receiver.received.length, 1);
    target = undefined;
    assert.match((await attempt()).kept.lastError ?? '', /no longer in the configuration/);
  });

  it('reaches no private address that is not meant to be reached, by number or by name', async () => {
    let calls = 0;
    const inside = createServer((_, response) => void (calls++, response.end()));
    await once(inside.listen(0), 'listening');
    const { port } = inside.address() as AddressInfo;
    for (const host of ['127.0.0.1', '[::1]', 'localhost', '2130706433']) {
      target = { url: `http://${host}:${port}/`, secret: SECRET, allowPrivateNetwork: false };
      assert.match((await attempt()).kept.lastError ?? '', /private address; set allowPrivateNetwork/, host);
    }
    target = { url: 'http://169.254.169.254/latest', secret: SECRET, allowPrivateNetwork: true };
    assert.match((await attempt()).kept.lastError ?? '', /no webhook may be sent to/);
    assert.equal(calls, 0);
    inside.close();
  });
});

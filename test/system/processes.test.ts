/** Several servers and workers on one PostgreSQL and one Temporal: races between servers, deploys, crashes, outages. */
import assert from 'node:assert/strict';
import { startWhatsAppSimulator } from '../../src/channels/simulated/graph-server.ts';
import type { WhatsAppSimulator } from '../../src/channels/simulated/whatsapp-simulator.ts';
import { connectClient, embeddedTarget } from '../../src/temporal/connection.ts';
import { printed, type Running } from '../support/attache.ts';
import { openGate, type Gate } from '../support/gate.ts';
import { Meta } from '../support/meta.ts';
import { deploy, type Deployment } from '../support/processes.ts';
import { type Act, asleep, type RunBody, type TenantApi } from '../support/tenant-api.ts';
import { until } from '../support/until.ts';

const NUMBER = '100200300';
const SECRET = 'app-secret';
/** `temporal.api.enums.v1.TimeoutType`. */
const BY_HEARTBEAT = 4;

describe('servers and workers in processes of their own', function () {
  this.timeout(180_000);
  let deployment: Deployment;
  let gate: Gate;
  let graph: WhatsAppSimulator;
  let meta: Meta;
  let apis: readonly TenantApi[];
  let api: TenantApi;
  const opened: { close(): Promise<void> }[] = [];

  before(async function () {
    if (!process.env['TEST_DATABASE_URL']) {
      process.stdout.write('    not run: needs a PostgreSQL, named by TEST_DATABASE_URL\n');
      this.skip();
    }
    gate = await openGate();
    // Nothing is posted by the simulator: its statuses are switched off, and the test posts what customers say.
    graph = await startWhatsAppSimulator({
      phoneNumberId: NUMBER,
      appSecret: SECRET,
      webhookUrl: gate.url,
      statuses: [],
    });
    opened.push(gate, graph);
    const keys = { accessToken: 'token', appSecret: SECRET, verifyToken: 'verify' };
    deployment = await deploy({
      tenants: {
        acme: { channels: [{ kind: 'whatsapp', phoneNumberId: NUMBER, ...keys, apiUrl: graph.url }] },
      },
    });
    opened.push(deployment);
    const servers = await Promise.all([deployment.server(), deployment.server(), deployment.server()]);
    apis = servers.map(({ url }) => deployment.api(url, 'acme'));
    [api] = apis as [TenantApi];
    meta = new Meta({ url: `${servers[0].url}/webhooks/whatsapp/acme`, number: NUMBER, secret: SECRET });
  });

  after(async () => {
    for (const one of opened.reverse()) await one.close();
  });

  const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
  const sentTo = (phone: string) => graph.received.filter(({ to }) => to === `+${phone}`);

  /** A WhatsApp conversation with the gate's agent, at its gate. */
  async function atTheGate(phone: string): Promise<string> {
    await meta.says(phone, `Hi [${phone}]`);
    const id = await until(`the conversation of ${phone}`, async () => {
      const { body } = await api.get<{ items: { subject: string; data: object }[] }>('/events?limit=200');
      return body.items.find(({ data }) => JSON.stringify(data).includes(`[${phone}]`))?.subject.split('/')[1];
    });
    const { status } = await api.attach(id, { agent: 'gate', config: { gate: gate.url } });
    assert.equal(status, 201);
    await gate.arrival(id, 1);
    return id;
  }

  it('answers 202 to a stop and 503 to a request while no worker is alive, and stops when one is', async () => {
    for (const name of ['detach', 'takeover', 'others']) await api.attach(name, { firstRunAt: tomorrow() });
    const others: readonly Act[] = ['pause', 'resume', 'snooze', 'wake'];
    const [detach, takeover, unknown, ...refused] = await Promise.all([
      api.act('detach', 'detach'),
      api.act('takeover', 'takeover'),
      api.act('nobody', 'detach'),
      ...others.map(async (act) => api.act('others', act, act === 'snooze' ? { for: '1h' } : {})),
    ]);
    assert.deepEqual([detach.status, detach.body.pending], [202, true]);
    assert.deepEqual([takeover.status, takeover.body.pending], [202, true]);
    assert.equal(unknown.status, 404);
    for (const { status, headers, body } of refused)
      assert.deepEqual([status, body.code, headers.has('retry-after')], [503, 'no_worker', true]);
    assert.equal((await api.hears('others', 'Hi')).status, 200);

    first = await deployment.worker();
    await api.runWhen('detach', 'detached', ({ reason }) => reason === 'detached');
    await api.runWhen('takeover', 'taken over', ({ reason }) => reason === 'taken_over');
    assert.deepEqual([await api.said('detach'), await api.said('takeover')], [[], []]);
    const again = await api.act('detach', 'detach');
    assert.deepEqual([again.status, again.body.status], [200, 'REMOVED_BY_USER']);
  });

  it('makes one run of twenty attaches at once over three servers, while fifty others attach (C10)', async () => {
    const over = (n: number) => apis[n % apis.length] as TenantApi;
    const attach = async (name: string, n: number) => over(n).attach(name, { firstRunAt: tomorrow() });
    const [same, others] = await Promise.all([
      Promise.all(Array.from({ length: 20 }, async (_, n) => attach('contested', n))),
      Promise.all(Array.from({ length: 50 }, async (_, n) => attach(`other-${n}`, n))),
    ]);
    const winners = same.filter(({ status }) => status === 201);
    const losers = same.filter(({ status }) => status === 409);
    assert.deepEqual([winners.length, losers.length], [1, 19]);
    assert.deepEqual(new Set(losers.map(({ body }) => body.run.id)), new Set([winners[0]?.body.id]));
    assert.deepEqual(new Set(others.map(({ status }) => status)), new Set([201]));
  });

  it('stores one event of twenty copies of one webhook posted to three servers at once (B1)', async () => {
    const body = meta.messageBody('12025550120', { id: 'wamid.COPIED', text: 'Hello' });
    const all = apis.map((one) => new Meta({ url: one.webhook('whatsapp'), number: NUMBER, secret: SECRET }));
    const answers = await Promise.all(Array.from({ length: 20 }, async (_, n) => all[n % all.length]?.post(body)));
    assert.deepEqual(new Set(answers), new Set([200]));
    const { body: events } = await api.get<{ items: { id: string; type: string }[] }>('/events?limit=200');
    assert.equal(events.items.filter(({ id }) => id.includes('wamid.COPIED')).length, 1);
  });

  let first: Running;
  let third: Running;

  it('redoes ticks of a worker that is stopped or killed on another one, uncounted, and sends once (A7)', async () => {
    const [finishing, cut, killed] = ['12025550131', '12025550132', '12025550133'];
    const onFirst = [await atTheGate(finishing), await atTheGate(cut)] as const;
    const second = await deployment.worker();
    first.signal('SIGTERM');
    await printed(first, /worker stopping/);
    // The first takes no more work: it is the second that gets this one.
    const onSecond = await atTheGate(killed);
    (await gate.arrival(onFirst[0], 1)).pass('finished while stopping');
    await until('the message of the stopping worker', () => sentTo(finishing).length > 0);
    third = await deployment.worker();
    await second.kill();

    (await gate.arrival(onSecond, 2)).pass('after the kill');
    (await gate.arrival(onFirst[1], 2)).pass('after the deploy');
    const { code } = await first.exited;
    assert.equal(code, 0);
    for (const [id, phone, text] of [
      [onFirst[0], finishing, 'finished while stopping'],
      [onFirst[1], cut, 'after the deploy'],
      [onSecond, killed, 'after the kill'],
    ] as const) {
      await until(`the message ${text}`, () => sentTo(phone).length > 0);
      const run = await api.runWhen(id, 'asleep', asleep);
      assert.deepEqual([run.status, run.failures, run.ticks], ['IN_PROGRESS', 0, 1], text);
      assert.deepEqual(
        sentTo(phone).map((sent) => sent.text),
        [text],
      );
    }
    assert.deepEqual([gate.arrivals(onFirst[0]), gate.arrivals(onFirst[1]), gate.arrivals(onSecond)], [1, 2, 2]);
    // A worker that was killed is missed by its heartbeats, not by the tick's own time-out.
    const { timeoutType } = (await lastFailureOfTick(onSecond))?.timeoutFailureInfo ?? {};
    assert.equal(timeoutType, BY_HEARTBEAT);
  });

  /** Why an attempt at a conversation's tick was not the last one. */
  async function lastFailureOfTick(conversation: string) {
    const client = await connectClient(embeddedTarget(deployment.temporalAddress));
    try {
      const { events } = await client.workflow
        .getHandle(`run/acme/conversation/${conversation}/answering`)
        .fetchHistory();
      const again = events
        ?.map(({ activityTaskStartedEventAttributes: started }) => started)
        .find((one) => (one?.attempt ?? 0) > 1);
      return again?.lastFailure;
    } finally {
      await client.connection.close();
    }
  }

  it('accepts events and takeovers while Temporal is down, answers 503 to the rest, and delivers afterwards', async () => {
    const sleeping = await api.attach('outage', { firstRunAt: tomorrow() });
    await api.runWhen('outage', 'asleep', ({ agentVersion }) => agentVersion !== null);
    await api.attach('outage-2', { firstRunAt: tomorrow() });
    await api.runWhen('outage-2', 'asleep', ({ agentVersion }) => agentVersion !== null);
    await deployment.killTemporal();
    const [event, attached, paused, ready, health, shown, takeover, unseen] = await Promise.all([
      api.hears('outage', 'Hello?'),
      api.attach('during', { firstRunAt: tomorrow() }),
      api.act('outage', 'pause'),
      fetch(api.at('/readyz')),
      fetch(api.at('/healthz')),
      api.get<RunBody>('/runs/conversation/outage/answering'),
      api.act('outage-2', 'takeover'),
      api.act('during', 'takeover'),
    ]);
    assert.equal(event.status, 200);
    assert.deepEqual([attached.status, attached.body.code], [503, 'temporal_unreachable']);
    assert.deepEqual([paused.status, paused.body.code], [503, 'temporal_unreachable']);
    assert.deepEqual([ready.status, health.status], [503, 200]);
    assert.deepEqual([shown.status, shown.body.id], [200, sleeping.body.id]);
    assert.deepEqual([takeover.status, takeover.body.pending], [202, true]);
    assert.match(String(unseen.body['detail']), /^accepted and stored/);

    await deployment.restartTemporal();
    await api.runWhen('outage', 'told of the event', ({ ticks }) => ticks > 0);
    await api.runWhen('outage-2', 'taken over', ({ reason }) => reason === 'taken_over');
    assert.deepEqual(await api.said('outage-2'), []);
    const { body } = await api.get<{ items: unknown[] }>('/runs?subject=conversation/during');
    assert.equal(body.items.length, 0);
    assert.equal((await third.stop()).code, 0);
  });
});

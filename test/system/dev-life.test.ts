/** `attache dev` started, stopped, killed and started again: what slept sleeps on, what was under way is finished once. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startWhatsAppSimulator } from '../../src/channels/simulated/graph-server.ts';
import type { WhatsAppSimulator } from '../../src/channels/simulated/whatsapp-simulator.ts';
import { freePort } from '../../src/temporal/ports.ts';
import { isThere, launch, newPlace, printed, startDev, type Dev } from '../support/attache.ts';
import { openGate, type Gate } from '../support/gate.ts';
import { openHeldErp, type HeldErp } from '../support/held-erp.ts';
import { Meta } from '../support/meta.ts';
import { tenantApi, type RunBody } from '../support/tenant-api.ts';
import { until } from '../support/until.ts';

const NUMBER = '100200300';
const SECRET = 'app-secret';

describe('attache dev, over its life', function () {
  this.timeout(120_000);
  const place = newPlace();
  const opened: { close(): Promise<void> }[] = [];
  let graph: WhatsAppSimulator;
  let gate: Gate;
  let erp: HeldErp;
  let meta: Meta;
  let dev: Dev;
  let env: Record<string, string>;
  const demo = tenantApi(() => dev.url, 'demo');
  const acme = tenantApi(() => dev.url, 'acme');

  before(async () => {
    const port = await freePort({ port: undefined, purpose: 'the API', variable: 'PORT' });
    const webhookUrl = `http://127.0.0.1:${port}/webhooks/whatsapp/acme`;
    graph = await startWhatsAppSimulator({ phoneNumberId: NUMBER, appSecret: SECRET, webhookUrl, statuses: [] });
    gate = await openGate();
    erp = await openHeldErp();
    opened.push(graph, gate, erp);
    meta = new Meta({ url: webhookUrl, number: NUMBER, secret: SECRET });
    env = { PORT: String(port) };
    const whatsapp = { kind: 'whatsapp', phoneNumberId: NUMBER, accessToken: 'token', appSecret: SECRET };
    const agents = { 'lead-qualification': { policy: { quietHours: null } } };
    place.configure({
      tenants: {
        demo: { channels: [{ kind: 'simulated' }], erp: { kind: 'demo', size: 'small' }, agents },
        acme: {
          channels: [{ ...whatsapp, verifyToken: 'verify', apiUrl: graph.url }],
          autoAttach: [{ on: 'conversation.opened', agent: 'lead-qualification' }],
          erp: erp.config,
          agents,
        },
      },
    });
  });

  after(async () => {
    place.leave();
    await Promise.all(opened.map(async (one) => one.close()));
  });

  const asleep = (run: RunBody) => run.phase === 'asleep' && run.ticks > 0;

  it('starts after a start that was killed half way', async () => {
    const killed = launch({ place, env });
    await printed(killed, /starting the desk/);
    await killed.kill();
    dev = await startDev({ place, env });
    assert.deepEqual(place.processes().length, 2, 'itself and one Temporal');
  });

  it('answers the first words of the demo’s customer', async () => {
    await demo.runWhen('1', 'asleep after its greeting', asleep);
    const before = await demo.said('1');
    await demo.hears('1', 'Hi, how much is it?');
    await until('the answer', async () => (await demo.said('1')).length > before.length);
    const run = await demo.runWhen('1', 'asleep again', (now) => asleep(now) && now.ticks > 1);
    assert.equal(run.status, 'IN_PROGRESS');
  });

  it('leaves no process behind on Ctrl-C, and the next start finds its runs asleep with their due times', async () => {
    const before = await demo.run('1');
    const said = await demo.said('1');
    dev.signal('SIGINT');
    const { code, signal, output } = await dev.exited;
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, output);
    assert.deepEqual(place.processes(), []);
    assert.equal(existsSync(join(place.dataDir, 'dev.json')), false);

    dev = await startDev({ place, env });
    const { nextRunAt, ticks, id, phase } = await demo.run('1');
    assert.deepEqual({ nextRunAt, ticks, id, phase }, pick(before));
    assert.deepEqual(await demo.said('1'), said);
  });

  it('refuses a folder that another one holds, and a port that is taken, each with what to do about it', async () => {
    const second = await launch({ place }).exited;
    assert.equal(second.code, 1);
    assert.match(second.output, /already runs in .* at http:.*ATTACHE_DATA_DIR/s);
    assert.doesNotMatch(second.output, /\n\s+at /, 'no stack trace');
    const elsewhere = newPlace();
    const taken = await takePort();
    const { port } = taken.address() as AddressInfo;
    try {
      for (const variable of ['PORT', 'ATTACHE_TEMPORAL_PORT']) {
        const refused = await launch({ place: elsewhere, env: { [variable]: String(port) } }).exited;
        assert.equal(refused.code, 1, refused.output);
        assert.match(refused.output, new RegExp(`Port ${port}.* is taken.*Set ${variable} to a free port`, 's'));
        assert.doesNotMatch(refused.output, /\n\s+at /);
        assert.deepEqual(elsewhere.processes(), []);
        if (variable === 'PORT') assert.deepEqual(readdirSync(elsewhere.folder), [], 'no folder is left behind');
      }
    } finally {
      taken.close();
      elsewhere.leave();
    }
    assert.equal((await demo.run('1')).status, 'IN_PROGRESS', 'the first goes on');
  });

  it('has watchers propose one order for what runs short, carries it out once approved, and hears of the change', async () => {
    type Listed = {
      readonly id: string;
      readonly status: string;
      readonly proposal: { readonly approvals: number } | null;
    };
    const list = async () => (await demo.get<{ items: Listed[] }>('/investigations?agent=stockout')).body.items;
    await until('a proposal', async () => (await list()).some(({ status }) => status === 'proposed'));
    const [{ id, proposal } = assert.fail('nothing proposed'), ...others] = await list();
    assert.deepEqual([others.length, proposal?.approvals], [0, 1]);
    assert.equal((await demo.post(`/investigations/${id}/approve`, { by: 'ana' })).status, 200);
    await until('the order', async () => (await list()).some(({ status }) => status === 'executed'));
    type Entry = { readonly entry: string; readonly why?: string; readonly events?: readonly string[] };
    await until('the change to wake the watcher before its poll, once for all that changed', async () => {
      const { body } = await demo.get<{ items: readonly Entry[] }>('/runs/business/stockout/timeline');
      return body.items.some(
        ({ entry, why, events }) => entry === 'tick' && why === 'event' && (events?.length ?? 0) > 1,
      );
    });
    assert.equal((await list()).length, 1, 'what was ordered is not short');
  });

  it('loses and doubles nothing when killed with runs asleep, hearing out a burst and sending', async () => {
    const [sleeping, debouncing, sending] = ['1', '2', '12025550101'];
    const slept = await demo.run(sleeping);
    const said = await demo.said(sleeping);
    await demo.attach(debouncing, { firstRunAt: new Date(Date.now() + 86_400_000).toISOString() });
    await demo.runWhen(debouncing, 'prepared', ({ phase, nextRunAt }) => phase === 'asleep' && nextRunAt !== null);
    graph.failNext({ kind: 'hang' });
    await meta.says(sending, 'Hi, anybody there?');
    await graph.waitForSent(1);
    await demo.hears(debouncing, 'Hello, is this still for sale?');
    const left = dev.temporal.pid;
    await dev.kill();
    assert.ok(isThere(left), 'kill -9 leaves Temporal behind');

    dev = await startDev({ place, withAgents: true, env });
    assert.equal(isThere(left), false);
    const { nextRunAt, ticks, id, phase } = await demo.run(sleeping);
    assert.deepEqual({ nextRunAt, ticks, id, phase }, pick(slept));
    assert.deepEqual(await demo.said(sleeping), said);
    await demo.runWhen(debouncing, 'asleep after its answer', asleep);
    assert.equal((await demo.said(debouncing)).length, 1);
    assert.deepEqual(graph.received.length, 1, 'what may have gone out is not sent again');
    const [message] = graph.received;
    await meta.status(sending, { id: message?.id ?? '', status: 'delivered', reference: message?.reference ?? '' });
    const [{ subject } = { subject: '' }] = (await acme.get<{ items: { subject: string }[] }>('/runs')).body.items;
    const conversation = subject.replace('conversation/', '');
    await until('its status to prove it', async () => (await acme.said(conversation)).length === 1);
  });

  it('redoes a tick it was killed in, once, and says one thing', async () => {
    await demo.hears('3', 'are you there?');
    await demo.attach('3', { agent: 'gate', config: { gate: gate.url } });
    const first = await gate.arrival('3', 1);
    ordered = await killedWhileOrdering();
    await until('the tick to be gone', () => !first.isThere());
    dev = await startDev({ place, withAgents: true, env });
    const second = await gate.arrival('3', 2);
    assert.equal(second.tick, first.tick, 'the same wake-up');
    second.pass('here I am');
    const run = await demo.runWhen('3', 'asleep', asleep);
    assert.deepEqual([run.failures, run.ticks, run.status], [0, 1, 'IN_PROGRESS']);
    assert.deepEqual(await demo.said('3'), ['here I am']);
    assert.equal(graph.received.length, 1);
  });

  let ordered: { readonly id: string; readonly winner: string };

  /** The ERP has the order by then, and nobody who asked for it heard so. */
  async function killedWhileOrdering(): Promise<typeof ordered> {
    await acme.post('/runs', { agent: 'restock', subject: 'business', config: { short: 'P-1' } });
    const id = await until('a proposal', async () => {
      const { body } = await acme.get<{ items: { id: string }[] }>('/investigations?status=proposed');
      return body.items[0]?.id;
    });
    const writing = erp.hold('write');
    const approve = async (by: string) => ({ by, ...(await acme.post(`/investigations/${id}/approve`, { by })) });
    const answers = await Promise.all([approve('ana'), approve('bob')]);
    const [taken, refused] = [200, 409].map((wanted) => answers.filter(({ status }) => status === wanted));
    const [{ by: winner } = assert.fail('nobody was first')] = taken ?? [];
    assert.match(JSON.stringify(refused?.[0]?.body), new RegExp(`"actor":"[^"]*${winner}"`), 'told who decided');
    const complete = await writing;
    await dev.kill();
    await complete();
    return { id, winner };
  }

  it('orders once although it was killed in the middle of the order, and counts one decision and one action', async () => {
    type Ended = { readonly results: readonly object[]; readonly decisions: readonly { readonly actor: string }[] };
    const { body } = await until('the end of the investigation', async () => {
      const answer = await acme.get<Ended & { readonly status: string }>(`/investigations/${ordered.id}`);
      return answer.body.status === 'executed' && answer;
    });
    assert.deepEqual([body.results.length, body.decisions.length], [1, 1]);
    assert.match(body.decisions[0]?.actor ?? '', new RegExp(`${ordered.winner}$`));
    assert.deepEqual(await erp.orders(), ['open']);
    assert.equal(erp.keys.length, 1, 'looked up by its key, not written again');
  });

  it('leaves no process behind on a second Ctrl-C, which does not wait for a tick', async () => {
    await demo.attach('4', { agent: 'gate', config: { gate: gate.url } });
    const tick = await gate.arrival('4', 1);
    dev.signal('SIGINT');
    await until('the API to be closed', async () => {
      return fetch(dev.url).then(
        () => false,
        () => true,
      );
    });
    dev.signal('SIGINT');
    const { code } = await dev.exited;
    assert.equal(code, 130);
    await until('the tick to be gone', () => !tick.isThere());
    await until('its Temporal to be gone', () => place.processes().length === 0);
  });

  it('ends, saying why, when its Temporal has ended', async () => {
    dev = await startDev({ place, env });
    assert.equal((await demo.run('4')).status, 'IN_PROGRESS', 'what the impatient stop cut off goes on');
    process.kill(dev.temporal.pid, 'SIGKILL');
    const { code, output } = await dev.exited;
    assert.equal(code, 1, output);
    assert.match(output, /error: Temporal \(its log: .*server\.log\) has ended by itself/);
    assert.deepEqual(place.processes(), []);
    assert.equal(existsSync(join(place.dataDir, 'dev.json')), false);
  });

  it('says what to do, and takes no run for lost, when the folder of its Temporal was removed', async () => {
    rmSync(join(place.dataDir, 'temporal'), { recursive: true });
    const { code, output } = await launch({ place, env }).exited;
    assert.equal(code, 1);
    assert.match(output, /runs do not live in the namespace default .*Put the folder .*temporal back/);
    assert.doesNotMatch(output, /\n\s+at /, 'no stack trace');
  });
});

function pick({ nextRunAt, ticks, id, phase }: RunBody) {
  return { nextRunAt, ticks, id, phase };
}

async function takePort(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** `attache dev` started, stopped, killed and started again: what slept sleeps on, what was under way is finished once. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { checkServer } from '../../src/processes/check-server.ts';
import { checkWorkers } from '../../src/processes/check-workers.ts';
import { VERSION } from '../../src/processes/version.ts';
import { connectClient, embeddedTarget } from '../../src/temporal/connection.ts';
import { HISTORIES } from '../replay/histories.ts';
import { isThere, launch, startDev, type Dev } from '../support/attache.ts';
import { openDevWorld, type DevWorld } from '../support/dev-world.ts';
import { asleep, type RunBody } from '../support/tenant-api.ts';
import { until } from '../support/until.ts';

describe('attache dev, over its life', () => {
  let world: DevWorld;
  let dev: Dev;
  before(async () => {
    world = await openDevWorld();
    dev = await startDev(world);
  });
  after(() => world.close());

  it('answers the first words of the demo’s customer', async () => {
    await world.demo.runWhen('1', 'asleep after its greeting', asleep);
    const before = await world.demo.said('1');
    await world.demo.hears('1', 'Hi, how much is it?');
    await until('the answer', async () => (await world.demo.said('1')).length > before.length);
    const run = await world.demo.runWhen('1', 'asleep again', (now) => asleep(now) && now.ticks > 1);
    assert.equal(run.status, 'IN_PROGRESS');
  });

  it('has replay say in one line that Temporal knows no such run, or what this code would decide otherwise', async () => {
    const { place } = world;
    const changed = join(place.folder, 'changed.json');
    const history = readFileSync(join(HISTORIES, 'short-sleeps.json'), 'utf8');
    writeFileSync(changed, history.replace('"name": "prepare"', '"name": "other"'));
    const replay = async (source: string) => launch({ place, command: 'replay', args: [source] }).exited;
    const [unknown, otherwise] = await Promise.all([replay('demo/business/nobody'), replay(changed)]);
    assert.deepEqual([unknown.code, unknown.output], [3, 'error: Temporal knows no run demo/business/nobody\n']);
    assert.equal(otherwise.code, 1);
    const [told = '', ...remedy] = otherwise.output.split('\n');
    assert.match(told, /^error: run\/\S+: this code would decide otherwise: .*'other' does not match activity type/);
    assert.equal(remedy.length, 2, otherwise.output);
  });

  it('tells the doctor its server’s version, and by Temporal its worker’s', async () => {
    const client = await connectClient(embeddedTarget(dev.temporal.address));
    const { check, workers } = await checkWorkers(client.workflowService, 'default');
    await client.connection.close();
    assert.deepEqual([check.ok, check.detail], [true, '1 asks for work']);
    assert.deepEqual(workers, [{ part: 'worker', process: `${dev.pid}@${hostname()}`, version: VERSION }]);
    const { servers } = await checkServer({ url: dev.url, apiKey: undefined });
    assert.deepEqual(servers, [{ part: 'server', version: VERSION }]);
  });

  it('keeps an idle connection for longer than a balancer in front of it does', async () => {
    const { headers } = await fetch(`${dev.url}/healthz`);
    assert.equal(headers.get('keep-alive'), 'timeout=75');
  });

  it('leaves no process behind on Ctrl-C, and the next start finds its runs asleep with their due times', async () => {
    const before = await world.demo.run('1');
    const said = await world.demo.said('1');
    dev.signal('SIGINT');
    const { code, signal, output } = await dev.exited;
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, output);
    assert.deepEqual(world.place.processes(), []);
    assert.equal(existsSync(join(world.place.dataDir, 'dev.json')), false);

    dev = await startDev(world);
    const { nextRunAt, ticks, id, phase } = await world.demo.run('1');
    assert.deepEqual({ nextRunAt, ticks, id, phase }, pick(before));
    assert.deepEqual(await world.demo.said('1'), said);
  });

  it('has watchers propose one order for what runs short, carries it out once approved, and hears of the change', async () => {
    type Listed = {
      readonly id: string;
      readonly status: string;
      readonly proposal: { readonly approvals: number } | null;
    };
    const list = async () => (await world.demo.get<{ items: Listed[] }>('/investigations?agent=stockout')).body.items;
    await until('a proposal', async () => (await list()).some(({ status }) => status === 'proposed'));
    const [{ id, proposal } = assert.fail('nothing proposed'), ...others] = await list();
    assert.deepEqual([others.length, proposal?.approvals], [0, 1]);
    assert.equal((await world.demo.post(`/investigations/${id}/approve`, { by: 'ana' })).status, 200);
    await until('the order', async () => (await list()).some(({ status }) => status === 'executed'));
    type Entry = { readonly entry: string; readonly why?: string; readonly events?: readonly string[] };
    await until('the change to wake the watcher before its poll, once for all that changed', async () => {
      const { body } = await world.demo.get<{ items: readonly Entry[] }>('/runs/business/stockout/timeline');
      return body.items.some(
        ({ entry, why, events }) => entry === 'tick' && why === 'event' && (events?.length ?? 0) > 1,
      );
    });
    assert.equal((await list()).length, 1, 'what was ordered is not short');
  });

  it('loses and doubles nothing when killed with runs asleep, hearing out a burst and sending', async () => {
    const [sleeping, debouncing, sending] = ['1', '2', '12025550101'];
    const slept = await world.demo.run(sleeping);
    const said = await world.demo.said(sleeping);
    await world.demo.attach(debouncing, { firstRunAt: new Date(Date.now() + 86_400_000).toISOString() });
    await world.demo.runWhen(
      debouncing,
      'prepared',
      ({ phase, nextRunAt }) => phase === 'asleep' && nextRunAt !== null,
    );
    world.graph.failNext({ kind: 'hang' });
    await world.meta.says(sending, 'Hi, anybody there?');
    await world.graph.waitForSent(1);
    await world.demo.hears(debouncing, 'Hello, is this still for sale?');
    const left = dev.temporal.pid;
    await dev.kill();
    assert.ok(isThere(left), 'kill -9 leaves Temporal behind');

    dev = await startDev({ ...world, withAgents: true });
    assert.equal(isThere(left), false);
    const { nextRunAt, ticks, id, phase } = await world.demo.run(sleeping);
    assert.deepEqual({ nextRunAt, ticks, id, phase }, pick(slept));
    assert.deepEqual(await world.demo.said(sleeping), said);
    await world.demo.runWhen(debouncing, 'asleep after its answer', asleep);
    assert.equal((await world.demo.said(debouncing)).length, 1);
    assert.deepEqual(world.graph.received.length, 1, 'what may have gone out is not sent again');
    const [message] = world.graph.received;
    await world.meta.status(sending, {
      id: message?.id ?? '',
      status: 'delivered',
      reference: message?.reference ?? '',
    });
    const [{ subject } = { subject: '' }] = (await world.acme.get<{ items: { subject: string }[] }>('/runs')).body
      .items;
    const conversation = subject.replace('conversation/', '');
    await until('its status to prove it', async () => (await world.acme.said(conversation)).length === 1);
  });
});

function pick({ nextRunAt, ticks, id, phase }: RunBody) {
  return { nextRunAt, ticks, id, phase };
}

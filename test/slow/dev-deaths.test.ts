/** `attache dev` killed at worse moments than `test/system/dev-life.test.ts` has: in a start, a tick, an order, a stop; and refused. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { launch, newPlace, printed, startDev, type Dev } from '../support/attache.ts';
import { openDevWorld, type DevWorld } from '../support/dev-world.ts';
import { asleep } from '../support/tenant-api.ts';
import { until } from '../support/until.ts';

describe('attache dev, over its deaths', () => {
  let world: DevWorld;
  let dev: Dev;
  before(async () => {
    world = await openDevWorld();
  });
  after(() => world.close());

  it('starts after a start that was killed half way', async () => {
    const killed = launch(world);
    await printed(killed, /starting the desk/);
    await killed.kill();
    dev = await startDev({ ...world, withAgents: true });
    assert.deepEqual(world.place.processes().length, 2, 'itself and one Temporal');
  });

  it('redoes a tick it was killed in, once, and says one thing', async () => {
    await world.demo.hears('3', 'are you there?');
    await world.demo.attach('3', { agent: 'gate', config: { gate: world.gate.url } });
    const first = await world.gate.arrival('3', 1);
    ordered = await killedWhileOrdering();
    await until('the tick to be gone', () => !first.isThere());
    dev = await startDev({ ...world, withAgents: true });
    const second = await world.gate.arrival('3', 2);
    assert.equal(second.tick, first.tick, 'the same wake-up');
    second.pass('here I am');
    const run = await world.demo.runWhen('3', 'asleep', asleep);
    assert.deepEqual([run.failures, run.ticks, run.status], [0, 1, 'IN_PROGRESS']);
    assert.deepEqual(await world.demo.said('3'), ['here I am']);
  });

  let ordered: { readonly id: string; readonly winner: string };

  /** The ERP has the order by then, and nobody who asked for it heard so. */
  async function killedWhileOrdering(): Promise<typeof ordered> {
    await world.acme.post('/runs', { agent: 'restock', subject: 'business', config: { short: 'P-1' } });
    const id = await until('a proposal', async () => {
      const { body } = await world.acme.get<{ items: { id: string }[] }>('/investigations?status=proposed');
      return body.items[0]?.id;
    });
    const writing = world.erp.hold('write');
    const approve = async (by: string) => ({ by, ...(await world.acme.post(`/investigations/${id}/approve`, { by })) });
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
      const answer = await world.acme.get<Ended & { readonly status: string }>(`/investigations/${ordered.id}`);
      return answer.body.status === 'executed' && answer;
    });
    assert.deepEqual([body.results.length, body.decisions.length], [1, 1]);
    assert.match(body.decisions[0]?.actor ?? '', new RegExp(`${ordered.winner}$`));
    assert.deepEqual(await world.erp.orders(), ['open']);
    assert.equal(world.erp.keys.length, 1, 'looked up by its key, not written again');
  });

  it('refuses a folder that another one holds, and a port that is taken, each with what to do about it', async () => {
    const second = await launch({ place: world.place }).exited;
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
    assert.equal((await world.demo.run('3')).status, 'IN_PROGRESS', 'the first goes on');
  });

  it('leaves no process behind on a second Ctrl-C, which does not wait for a tick', async () => {
    await world.demo.attach('4', { agent: 'gate', config: { gate: world.gate.url } });
    const tick = await world.gate.arrival('4', 1);
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
    await until('its Temporal to be gone', () => world.place.processes().length === 0);
  });

  it('ends, saying why, when its Temporal has ended', async () => {
    dev = await startDev(world);
    assert.equal((await world.demo.run('4')).status, 'IN_PROGRESS', 'what the impatient stop cut off goes on');
    process.kill(dev.temporal.pid, 'SIGKILL');
    const { code, output } = await dev.exited;
    assert.equal(code, 1, output);
    assert.match(output, /error: Temporal \(its log: .*server\.log\) has ended by itself/);
    assert.deepEqual(world.place.processes(), []);
    assert.equal(existsSync(join(world.place.dataDir, 'dev.json')), false);
  });

  it('says what to do, and takes no run for lost, when the folder of its Temporal was removed', async () => {
    rmSync(join(world.place.dataDir, 'temporal'), { recursive: true });
    const { code, output } = await launch(world).exited;
    assert.equal(code, 1);
    assert.match(output, /runs do not live in the namespace default .*Put the folder .*temporal back/);
    assert.doesNotMatch(output, /\n\s+at /, 'no stack trace');
  });
});

async function takePort(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

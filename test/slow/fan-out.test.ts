/** One event to three hundred runs, and acts on all of them, while everything is killed in the middle of it. */
import assert from 'node:assert/strict';
import { newPlace, startDev, type Dev } from '../support/attache.ts';
import { tenantApi, type Json, type RunBody } from '../support/tenant-api.ts';
import { until } from '../support/until.ts';

const RUNS = 300;

interface Counted extends Json {
  readonly id: string;
  readonly state: string;
  readonly total: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  readonly pending: number;
}
interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

describe('a fan-out', () => {
  const place = newPlace();
  let dev: Dev;
  const api = tenantApi(() => dev.url, 'demo');

  before(async () => {
    place.configure({ tenants: { demo: { channels: [{ kind: 'simulated' }], fanOut: { perSecond: 60 } } } });
    dev = await startDev({ place, withAgents: true });
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    for (let from = 0; from < RUNS; from += 25)
      await Promise.all(
        Array.from({ length: 25 }, async (_, n) =>
          api.attach(`c${from + n}`, { agent: 'follower', firstRunAt: tomorrow }),
        ),
      );
    await until('all to follow the topic', async () => {
      const { body } = await api.get<Page<{ followers: number }>>('/topics');
      return body.items[0]?.followers === RUNS;
    });
  });
  after(() => place.leave());

  const tell = async (id: string) =>
    api.post<Page<{ result: string }>>('/events', {
      id,
      type: 'custom.prices',
      time: new Date().toISOString(),
      subject: 'topic/price-list',
      data: { list: id },
    });
  const ofEvent = async (id: string) => (await api.get<{ fanOut: Counted | null }>(`/events/${id}`)).body.fanOut;
  const whenOver = async (look: () => Promise<Counted | null>) =>
    until('the fan-out to be over', async () => {
      const counted = await look();
      return counted !== null && ['done', 'cancelled'].includes(counted.state) && counted;
    });
  const counts = ({ state, total, done, skipped, failed, pending }: Counted) => ({
    ...{ state, total, done, skipped, failed, pending },
  });
  async function all<Item>(path: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: { body: Page<Item> } = await api.get<Page<Item>>(`${path}&limit=200&cursor=${cursor}`);
      items.push(...body.items);
      cursor = body.nextCursor;
    }
    return items;
  }

  it('reaches each of three hundred runs once, over a kill in the middle of it, and counts them', async () => {
    await api.act('c0', 'pause');
    const paused = await api.post<RunBody>('/runs/conversation/c1/follower/pause');
    const ended = await api.post<RunBody>('/runs/conversation/c2/follower/detach');
    assert.deepEqual([paused.body.phase, ended.body.status], ['paused', 'REMOVED_BY_USER']);
    const [first, again] = [await tell('march'), await tell('march')];
    assert.deepEqual([first.body.items[0]?.result, again.body.items[0]?.result], ['accepted', 'duplicate']);
    await until('some to be told', async () => ((await ofEvent('march'))?.done ?? 0) >= 50);
    await dev.kill();
    dev = await startDev({ place, withAgents: true });
    const over = await whenOver(async () => ofEvent('march'));
    assert.deepEqual(counts(over), {
      state: 'done',
      total: RUNS - 1,
      done: RUNS - 1,
      skipped: 0,
      failed: 0,
      pending: 0,
    });
    const awake = await until('all but the paused one to have heard', async () => {
      const runs = await all<RunBody>('/runs?agent=follower&status=IN_PROGRESS');
      return runs.filter(({ ticks }) => ticks > 0).length === RUNS - 2 && runs;
    });
    assert.deepEqual(new Set(awake.map(({ ticks }) => ticks)), new Set([0, 1]));
    for (const name of ['c3', 'c150', 'c299'])
      assert.deepEqual((await api.run(name, 'follower'))['state'], { heard: ['march: {"list":"march"}'] });
    const quiet = await api.run('c1', 'follower');
    assert.deepEqual([quiet.phase, quiet.ticks, quiet['queued']], ['paused', 0, 1]);
    const receipt = await all<{ state: string }>(`/bulk/${over.id}/receipt?state=done`);
    assert.equal(receipt.length, RUNS - 1);
  });
});

import assert from 'node:assert/strict';
import { createChangeFeed, type ChangeFeed } from '../../src/http/change-feed.ts';
import type { Change, ChangeLog } from '../../src/desk/desk.ts';
import { anInvestigation } from '../support/investigation-parts.ts';
import { testApi } from '../support/api.ts';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';
import { until } from '../support/until.ts';

for (const kind of DATABASES)
  describe(`the stream of changes on ${kind}`, () => {
    let opened: TestDesk;
    let feed: ChangeFeed;
    const stopping = new AbortController();
    let running: Promise<void>;
    const readers: { cancel(): Promise<void> }[] = [];
    before(async () => {
      opened = await openTestDesk(kind);
      feed = createChangeFeed({ log: opened.desk.changes, failed: assert.ifError });
      running = feed.run(stopping.signal);
    });
    after(async () => {
      await Promise.all(readers.map(async (reader) => reader.cancel()));
      stopping.abort();
      await running;
      await opened.close();
    });

    /** What another process writes. */
    async function switchOff(tenant: string, key: string): Promise<void> {
      const desk = await opened.another();
      const at = new Date().toISOString();
      await desk.switches.turnOff({ tenant: tenant as never, scope: 'agent', key, by: 'ana', reason: null, at });
    }

    async function open(headers: Record<string, string> = {}) {
      const api = testApi({ desk: opened.desk, changes: feed });
      const response = await api.ask('/v1/tenants/demo/stream', { headers });
      const reader = response.body?.getReader();
      assert.ok(reader, `${response.status}`);
      readers.push(reader);
      return reader;
    }

    it('tells a tenant what other processes write, its own alone, and resumes after the last one heard', async () => {
      const reader = await open();
      let told = await read(reader, ': here');
      await switchOff('acme', 'theirs');
      await switchOff('demo', 'ours');
      told += await read(reader, 'ours');
      assert.doesNotMatch(told, /theirs/);
      assert.match(told, /event: switch\ndata: \{"subject":null,.*"off":true/);
      await reader.cancel();
      await switchOff('demo', 'missed');
      const id = /id: (\d+)/.exec(told)?.[1] ?? '';
      const resumed = await read(await open({ 'last-event-id': id }), 'missed');
      assert.doesNotMatch(resumed, /ours/);
    });

    it('tells of an investigation on the subject of the run that opened it', async () => {
      const reader = await open();
      await read(reader, ': here');
      const view = { ...anInvestigation('i-told'), tenant: 'demo' } as never;
      await opened.desk.investigations.record({ view, version: 0, tell: [], counted: [] });
      assert.match(
        await read(reader, 'i-told'),
        /event: investigation\ndata: \{"subject":"business",.*"status":"proposed"/,
      );
      await opened.desk.investigations.record({ view, version: 1, tell: [], counted: [] });
      assert.match(await read(reader, 'i-told'), /event: investigation/);
    });

    it('answers a HEAD without listening to anything', async () => {
      const api = testApi({ desk: opened.desk, changes: feed });
      const before = feed.listeners('demo' as never);
      const response = await api.ask('/v1/tenants/demo/stream', { method: 'HEAD' });
      assert.equal(response.status, 200);
      assert.equal(feed.listeners('demo' as never), before);
    });

    it('tells who was away for longer than is kept to read everything again', async () => {
      assert.match(await read(await open({ 'last-event-id': '999999' }), 'reset'), /event: reset/);
      const api = testApi({ desk: opened.desk, changes: feed });
      const answer = await api.ask('/v1/tenants/demo/stream', { headers: { 'last-event-id': 'yesterday' } });
      assert.equal(answer.status, 422);
    });

    it('says of a run’s row, a message, an act and an owner that they changed, in the transaction of the change', async () => {
      const { desk } = opened;
      const before = (await desk.changes.kept())?.last ?? 0;
      const [tenant, subject] = ['told' as never, 'conversation/9' as never];
      await desk.acts.record({
        ...{ tenant, subject, slot: 'answering' as never, attachment: null, act: 'takeover' },
        ...{ actor: 'ana', comment: 'a word that is nobody’s business', at: new Date().toISOString() },
      });
      const changes = await desk.changes.after({ seq: before, tenant, limit: 10 });
      assert.deepEqual(changes.map(({ type, subject: of, data }) => [type, of, data]).sort(), [
        ['act', subject, { act: 'takeover', slot: 'answering' }],
        ['conversation', subject, { owner: 'human' }],
      ]);
    });
  });

describe('the reader of changes', () => {
  it('tells a change that became visible after a later one', async () => {
    const rows: Change[] = [];
    const change = (seq: number): Change => ({
      ...{ seq, at: new Date().toISOString(), tenant: 'demo' as never, type: 'run', subject: null, data: {} },
    });
    const log: ChangeLog = {
      after: async ({ seq }) => rows.filter((row) => row.seq > seq).sort((a, b) => a.seq - b.seq),
      kept: async () => null,
      prune: async () => undefined,
    };
    let readings = 0;
    const counted: ChangeLog = { ...log, after: async (query) => (++readings, log.after(query)) };
    const feed = createChangeFeed({ log: counted, failed: assert.ifError });
    const heard: number[] = [];
    const stopping = new AbortController();
    await feed.subscribe('demo' as never, ({ seq }) => heard.push(seq));
    const running = feed.run(stopping.signal);
    await until('the first reading', async () => Promise.resolve(readings > 0));
    rows.push(change(1), change(3));
    await until('both to be heard', async () => Promise.resolve(heard.length === 2));
    rows.push(change(2));
    await until('the late one to be heard', async () => Promise.resolve(heard.length === 3));
    assert.deepEqual(heard, [1, 3, 2]);
    stopping.abort();
    await running;
  });
});

async function read(
  reader: { read(): Promise<{ value?: Uint8Array; done: boolean }> },
  wanted: string,
): Promise<string> {
  let text = '';
  while (!text.includes(wanted)) {
    const { value, done } = await reader.read();
    if (done) break;
    text += new TextDecoder().decode(value);
  }
  return text;
}

import assert from 'node:assert/strict';
import { sql } from 'drizzle-orm';
import { parseTenantId } from '../../src/domain/ids.ts';
import type { EventInput } from '../../src/domain/schemas/events.ts';
import { rowsOf } from '../../src/erp/demo/database-books.ts';
import type { Erps } from '../../src/erp/erp.ts';
import { createFeed } from '../../src/erp/feed.ts';
import { createErps } from '../../src/erp/registry.ts';
import type { OnErpCall } from '../../src/erp/call-times.ts';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';
import { aKey, allOf, aPurchase, behavesLikeAnErp, done, ERP_SEED } from '../support/erp-port.ts';

const [acme, other] = [parseTenantId('acme'), parseTenantId('other')];

for (const kind of DATABASES)
  describe(`the demo ERP on ${kind}`, () => {
    let opened: TestDesk;
    let erps: Erps;
    const calls: Parameters<OnErpCall>[0][] = [];
    const erpsOn = (
      { database, limits }: TestDesk['desk'],
      clock = () => Date.parse(`${ERP_SEED.until}T12:00:00Z`),
    ) => {
      const demo = {
        timeZone: 'UTC',
        erp: { kind: 'demo', size: 'small', seed: ERP_SEED.seed, currency: 'EUR' },
      } as const;
      return createErps({
        tenants: { acme: demo, other: demo, bare: { timeZone: 'UTC' } },
        database,
        limits,
        clock,
        onCall: (call) => void calls.push(call),
      });
    };
    const acmes = () => erps.of(acme) ?? assert.fail();
    before(async () => {
      opened = await openTestDesk(kind);
      erps = erpsOn(opened.desk);
    });
    after(() => opened.close());

    behavesLikeAnErp(acmes);

    it('is set up once, whoever asks first, and stays as it was on a later day', async () => {
      const doors = [erps, erpsOn(await opened.another())];
      const counts = await Promise.all(
        doors.map(async (door) => (await allOf(door.of(other) ?? assert.fail(), 'order')).length),
      );
      assert.equal(counts[0], counts[1]);
      const later = erpsOn(opened.desk, () => Date.parse('2027-03-01T12:00:00Z')).of(other) ?? assert.fail();
      assert.equal((await allOf(later, 'order')).length, counts[0]);
      assert.equal(erps.of(parseTenantId('bare')), undefined);
      assert.equal(erps.of(parseTenantId('nobody')), undefined);
    });

    it('keeps tenants apart: records, keys and changes', async () => {
      const [mine, theirs] = [acmes(), erps.of(other) ?? assert.fail()];
      const now = await theirs.changes({ cursor: null, limit: 10 });
      const idempotencyKey = aKey();
      const purchase = await aPurchase(mine, 9);
      const { result } = await done(mine.write(purchase, { idempotencyKey, precondition: [] }));
      assert.equal(await theirs.get('purchaseOrder', result.record.id), undefined);
      assert.equal(await theirs.findByKey(idempotencyKey), undefined);
      assert.deepEqual((await theirs.changes({ cursor: now.nextCursor, limit: 10 })).items, []);
    });

    it('writes once when two processes write with one key at once', async () => {
      const doors = [acmes(), erpsOn(await opened.another()).of(acme) ?? assert.fail()];
      const purchase = { ...(await aPurchase(acmes(), 10)), note: 'a note with what no database holds: \0 \uD800' };
      const idempotencyKey = aKey();
      const before = (await allOf(acmes(), 'purchaseOrder')).length;
      await Promise.all(doors.map(async (door) => done(door.write(purchase, { idempotencyKey, precondition: [] }))));
      assert.equal((await allOf(acmes(), 'purchaseOrder')).length, before + 1);
    });

    it('makes an event of each change, once, from the first reading on', async () => {
      const stored = new Map<string, EventInput>();
      let isBroken = false;
      const feed = createFeed({
        erps,
        tenants: [acme],
        database: opened.desk.database,
        async publish(_, events) {
          for (const event of events) stored.set(event.id, event);
          return isBroken ? Promise.reject(new Error('the desk is away')) : Promise.resolve();
        },
        log: { warn: () => undefined },
      });
      await feed.readAll();
      assert.equal(stored.size, 0);
      const { result } = await done(
        acmes().write(await aPurchase(acmes(), 11), { idempotencyKey: aKey(), precondition: [] }),
      );
      isBroken = true;
      await feed.readAll();
      const first = [...stored.values()];
      stored.clear();
      isBroken = false;
      await feed.readAll();
      assert.deepEqual([...stored.values()], first);
      const { id, changedAt } = result.record;
      assert.deepEqual(stored.get(`purchaseOrder/${id}/1/${changedAt}`)?.data, {
        record: 'purchaseOrder',
        recordId: id,
        change: { version: '1' },
      });
      stored.clear();
      await feed.readAll();
      assert.equal(stored.size, 0);
      const ofOtherBooks = Buffer.from('any:999999999').toString('base64url');
      await opened.desk.database.execute(sql`update erp.feeds set cursor = ${ofOtherBooks} where tenant = ${acme}`);
      await feed.readAll();
      await done(acmes().write(await aPurchase(acmes(), 10), { idempotencyKey: aKey(), precondition: [] }));
      await feed.readAll();
      assert.notDeepEqual([...stored.keys()], [], 'an ERP that was set back is heard again');
    });

    it('tells of each call what it was, how long it took and what came of it', async () => {
      calls.length = 0;
      await acmes().get('product', 'nothing');
      await assert.rejects(acmes().list('product', { limit: 0 }));
      assert.deepEqual(
        calls.map(({ operation, outcome }) => [operation, outcome]),
        [
          ['get', 'answered'],
          ['list', 'error'],
        ],
      );
      assert.ok(calls.every(({ seconds }) => seconds >= 0 && seconds < 60));
    });

    it('reads its lists by index', async () => {
      await opened.desk.database.execute(sql`analyze erp.records`);
      const plan = await rowsOf<{ 'QUERY PLAN': string }>(
        opened.desk.database,
        sql`explain select data from erp.records where tenant = 'acme' and kind = 'order' and seq > 100000 order by seq limit 50`,
      );
      assert.match(JSON.stringify(plan), /Index Scan using records_/);
    });
  });

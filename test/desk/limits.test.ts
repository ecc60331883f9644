import assert from 'node:assert/strict';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';

for (const kind of DATABASES)
  describe(`limits on ${kind}`, () => {
    let opened: TestDesk;
    before(async () => {
      opened = await openTestDesk(kind);
    });
    after(() => opened.close());

    it('grants as many as the bucket holds, to all processes together, and says when the next is there', async () => {
      const doors = [opened.desk, await opened.another()] as const;
      const bucket = { key: 'whatsapp:100', perSecond: 0.001, burst: 5 };
      const waits = await Promise.all(
        Array.from({ length: 12 }, (_, n) => doors[(n % 2) as 0 | 1].limits.take(bucket)),
      );
      assert.equal(waits.filter((wait) => wait === 0).length, 5);
      assert.ok(
        waits.every((wait) => wait === 0 || (wait > 900_000 && wait <= 1_000_000)),
        String(waits),
      );
    });

    it('refills at its rate and keeps buckets apart', async () => {
      const bucket = { key: 'fast', perSecond: 1_000_000, burst: 1 };
      for (let n = 0; n < 5; n++) assert.equal(await opened.desk.limits.take(bucket), 0);
      assert.equal(await opened.desk.limits.take({ key: 'other', perSecond: 0.001, burst: 1 }), 0);
      assert.ok((await opened.desk.limits.take({ key: 'other', perSecond: 0.001, burst: 1 })) > 0);
    });
  });

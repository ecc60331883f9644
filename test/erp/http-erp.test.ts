import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parseTenantId } from '../../src/domain/ids.ts';
import { aroundCalls } from '../../src/erp/around.ts';
import { withinRate } from '../../src/erp/call-rate.ts';
import { generateBusiness } from '../../src/erp/demo/business/generate-business.ts';
import { createDemoErp } from '../../src/erp/demo/demo-erp.ts';
import { createMemoryBooks } from '../../src/erp/demo/memory-books.ts';
import { ErpError } from '../../src/erp/erp-error.ts';
import { createHttpErp } from '../../src/erp/remote/http-erp.ts';
import { erpOpenApi } from '../../src/erp/remote/openapi.ts';
import { type ErpFault, type RunningErp, startErpServer } from '../../src/erp/simulated/erp-server.ts';
import { aKey, allOf, aPurchase, behavesLikeAnErp, done, ERP_SEED } from '../support/erp-port.ts';

const TOKEN = 'a-token-for-tests';
const acme = parseTenantId('acme');

describe('an ERP behind HTTP', () => {
  let server: RunningErp;
  const books = createDemoErp({ books: createMemoryBooks(generateBusiness(ERP_SEED)) });
  const erpWith = (over: Partial<Parameters<typeof createHttpErp>[0]> = {}) =>
    createHttpErp({ tenant: acme, url: server.url, token: TOKEN, ...over });
  before(async () => {
    server = await startErpServer({ erpOf: (tenant) => (tenant === acme ? books : undefined), token: TOKEN });
  });
  after(() => server.close());

  behavesLikeAnErp(erpWith);

  async function failure(asking: Promise<unknown>): Promise<ErpError> {
    const error: unknown = await asking.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof ErpError, String(error));
    return error;
  }

  for (const [fault, isDone] of [
    [{ fault: 'cutBefore' }, false],
    [{ fault: 'cutAfter' }, true],
    // Given up after 150 ms: it may not even have arrived.
    [{ fault: 'slow', ms: 400 }, null],
    [{ fault: 'refuse', status: 500 }, false],
    [{ fault: 'refuse', status: 503 }, false],
  ] as const satisfies readonly (readonly [ErpFault, boolean | null])[])
    it(`does not know the fate of a write that met ${JSON.stringify(fault)}; its key tells, and writes once`, async () => {
      const erp = erpWith(fault.fault === 'slow' ? { answerTimeoutMs: 150 } : {});
      const purchase = await aPurchase(erpWith());
      const idempotencyKey = aKey();
      const before = (await allOf(erpWith(), 'purchaseOrder')).length;
      server.failNext(fault, 'write');
      assert.equal((await failure(erp.write(purchase, { idempotencyKey, precondition: [] }))).failure, 'unknown_fate');
      const isFound = (await erpWith().findByKey(idempotencyKey)) !== undefined;
      assert.equal(isFound, isDone ?? isFound);
      await done(erpWith().write(purchase, { idempotencyKey, precondition: [] }));
      assert.equal((await allOf(erpWith(), 'purchaseOrder')).length, before + 1);
    });

  it('knows that nothing was done when it says so, when it was not reached, and when it was only asked', async () => {
    const purchase = await aPurchase(erpWith());
    const write = async (erp = erpWith(), signal?: AbortSignal) =>
      failure(
        erp.write(purchase, { idempotencyKey: aKey(), precondition: [], ...(signal === undefined ? {} : { signal }) }),
      );
    server.failNext({ fault: 'refuse', status: 503, body: { code: 'nothing_done', detail: 'closed for an hour' } });
    assert.equal((await write()).failure, 'outage');
    const gone = await startErpServer({ erpOf: () => books, token: TOKEN });
    await gone.close();
    assert.equal((await write(erpWith({ url: gone.url }))).failure, 'outage');
    assert.equal((await write(erpWith(), AbortSignal.abort())).failure, 'outage');
    server.failNext({ fault: 'cutAfter' });
    assert.equal((await failure(erpWith().get('product', 'x'))).failure, 'outage');
    server.failNext({ fault: 'refuse', status: 502 });
    assert.equal((await failure(erpWith().list('product', { limit: 1 }))).failure, 'outage');
  });

  it('does not know the fate of a write whose attempt is cancelled on its way', async () => {
    const cancelled = new AbortController();
    server.failNext({ fault: 'slow', ms: 300 }, 'write');
    const idempotencyKey = aKey();
    const writing = failure(
      erpWith().write(await aPurchase(erpWith()), { idempotencyKey, precondition: [], signal: cancelled.signal }),
    );
    const asked = server.calls.length;
    while (server.calls.length === asked) await new Promise((resolve) => setImmediate(resolve));
    cancelled.abort();
    assert.equal((await writing).failure, 'unknown_fate');
    assert.ok((await erpWith().findByKey(idempotencyKey)) !== undefined);
  });

  it('tells who shut it, how long to wait, and an answer that is none', async () => {
    assert.equal((await failure(erpWith({ token: 'some-other-token' }).get('product', 'x'))).failure, 'unauthorized');
    assert.equal(
      (await failure(erpWith({ tenant: parseTenantId('other') }).get('product', 'x'))).failure,
      'unauthorized',
    );
    server.failNext({ fault: 'refuse', status: 429, retryAfter: 7 });
    const limited = await failure(erpWith().get('product', 'x'));
    assert.deepEqual([limited.failure, limited.retryAfterMs], ['rate_limited', 7_000]);
    server.failNext({ fault: 'refuse', status: 200, body: { found: 'it' } });
    assert.equal((await failure(erpWith().get('product', 'x'))).code, 'unreadable_answer');
    server.failNext({ fault: 'refuse', status: 200, body: { outcome: 'fine' } }, 'write');
    const write = erpWith().write(await aPurchase(erpWith()), { idempotencyKey: aKey(), precondition: [] });
    assert.equal((await failure(write)).failure, 'unknown_fate');
  });

  it('waits for a token of its tenant’s rate, and says when one is there if that takes too long', async () => {
    const waits = [0, 5, 0, 60_000, 60_000, 0];
    const taken: string[] = [];
    const limited = aroundCalls(
      erpWith(),
      withinRate({
        key: 'erp:acme',
        perSecond: 2,
        async take({ key }) {
          taken.push(key);
          return Promise.resolve(waits.shift() ?? 0);
        },
      }),
    );
    const asked = server.calls.length;
    await limited.get('product', 'x');
    await limited.get('product', 'x');
    assert.deepEqual([server.calls.length - asked, taken.length], [2, 3]);
    const errors = await Promise.all([failure(limited.get('product', 'x')), failure(limited.get('product', 'x'))]);
    assert.deepEqual(
      errors.map(({ failure: why, code, retryAfterMs }) => [why, code, retryAfterMs]),
      [
        ['rate_limited', 'our_limit', 60_000],
        ['rate_limited', 'our_limit', 60_000],
      ],
    );
    assert.equal(server.calls.length - asked, 2);
    await limited.get('product', 'x');
  });
});

describe('docs/erp.openapi.json', () => {
  it('is what the ERP is asked (npm run build writes it)', () => {
    assert.equal(readFileSync('docs/erp.openapi.json', 'utf8'), erpOpenApi());
  });
});

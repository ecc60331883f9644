/** What every ERP behind the port must do, whoever keeps the books: one list of tests for all of them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { InvalidInputError } from '../../src/domain/errors.ts';
import type { ErpKind, ErpRecord } from '../../src/domain/schemas/erp-records.ts';
import type { ErpCommand, ErpDone, RecordVersion } from '../../src/domain/schemas/erp-writes.ts';
import type { Erp } from '../../src/erp/erp.ts';

/** The business behind every ERP that is tested: see `generateBusiness`. */
export const ERP_SEED = { seed: 'port', until: '2026-11-29', size: 'small' } as const;

export async function allOf<Kind extends ErpKind>(erp: Erp, kind: Kind, limit = 500): Promise<ErpRecord<Kind>[]> {
  const all: ErpRecord<Kind>[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await erp.list(kind, { limit, cursor });
    all.push(...page.items);
    if (!page.hasMore) return all;
    cursor = page.nextCursor;
  }
}

/** An order of the least that one supplier delivers of one product. */
export async function aPurchase(erp: Erp, nth = 0): Promise<Extract<ErpCommand, { kind: 'createPurchaseOrder' }>> {
  const offer = (await allOf(erp, 'offer'))[nth];
  assert.ok(offer !== undefined);
  const { supplierId, productId, unitCost, minQuantity, packSize } = offer;
  const quantity = Math.ceil(minQuantity / packSize) * packSize;
  return {
    kind: 'createPurchaseOrder',
    supplierId,
    lines: [{ productId, quantity, unitCost }],
    expectedOn: '2026-12-10',
    note: null,
  };
}

export async function versionOf(erp: Erp, kind: ErpKind, id: string): Promise<RecordVersion> {
  const record = await erp.get(kind, id);
  assert.ok(record !== undefined, `${kind} ${id}`);
  return { kind, id, version: record.version };
}

export function aKey(): string {
  return `investigation/acme/stockout/1:${randomUUID()}`;
}

export async function done(writing: ReturnType<Erp['write']>): Promise<ErpDone> {
  const answer = await writing;
  assert.ok(answer.outcome === 'done', JSON.stringify(answer));
  return answer;
}

/** Registers the tests; they write, each on records of its own. */
export function behavesLikeAnErp(open: () => Erp): void {
  it('lists each record once, page by page, in the order of its last change, and then only what has changed since', async () => {
    const erp = open();
    const all = await allOf(erp, 'stock', 5);
    assert.equal(new Set(all.map(({ id }) => id)).size, 12);
    assert.deepEqual(
      [...all].sort((a, b) => a.changedAt.localeCompare(b.changedAt)),
      all,
    );
    const { nextCursor } = await erp.list('stock', { limit: 500 });
    const nothing = await erp.list('stock', { limit: 500, cursor: nextCursor });
    assert.deepEqual([nothing.items, nothing.hasMore], [[], false]);
    const purchase = await aPurchase(erp);
    await done(erp.write(purchase, { idempotencyKey: aKey(), precondition: [] }));
    const since = await erp.list('stock', { limit: 500, cursor: nothing.nextCursor });
    assert.deepEqual(
      since.items.map(({ id }) => id),
      [purchase.lines[0]?.productId],
    );
  });

  it('narrows a list by its filters, and names a filter, a cursor or a limit that is none', async () => {
    const erp = open();
    const purchase = await aPurchase(erp, 1);
    const productId = purchase.lines[0]?.productId ?? '';
    const { result } = await done(erp.write(purchase, { idempotencyKey: aKey(), precondition: [] }));
    const ofProduct = await erp.list('purchaseOrder', { limit: 100, where: { productId, status: 'open' } });
    assert.ok(ofProduct.items.some(({ id }) => id === result.record.id));
    assert.ok(
      ofProduct.items.every(
        ({ status, lines }) => status === 'open' && lines.some((line) => line.productId === productId),
      ),
    );
    const refusal = (path: string) => (error: unknown) =>
      error instanceof InvalidInputError && error.problems[0]?.path === path;
    await assert.rejects(
      erp.list('product', { limit: 10, where: { colour: 'red' } as object }),
      refusal('where.colour'),
    );
    await assert.rejects(erp.list('product', { limit: 10, cursor: 'tomorrow' }), refusal('cursor'));
    // As after a restored backup.
    const ahead = (of: string) => Buffer.from(`${of}:999999999`).toString('base64url');
    await assert.rejects(erp.list('product', { limit: 10, cursor: ahead('product') }), refusal('cursor'));
    await assert.rejects(erp.changes({ limit: 10, cursor: ahead('any') }), refusal('cursor'));
    await assert.rejects(erp.list('product', { limit: 501 }), refusal('limit'));
  });

  it('gets one record, and undefined where there is none', async () => {
    const erp = open();
    const [first] = (await erp.list('supplier', { limit: 1 })).items;
    assert.deepEqual(await erp.get('supplier', first?.id ?? ''), first);
    assert.equal(await erp.get('supplier', 'nobody'), undefined);
  });

  it('adds up what customers ordered of a product, day by day', async () => {
    const erp = open();
    const orders = await allOf(erp, 'order');
    const [{ id: productId } = { id: '' }] = await allOf(erp, 'product');
    const [from, to] = ['2026-10-01', '2026-11-29'];
    const expected = new Map<string, number>();
    for (const { placedAt, lines, status } of orders)
      for (const line of lines) {
        const on = placedAt.slice(0, 10);
        if (line.productId === productId && on >= from && on <= to && status !== 'cancelled')
          expected.set(on, (expected.get(on) ?? 0) + line.quantity);
      }
    const demand = await erp.demand({ productIds: [productId, 'nothing'], from, to });
    assert.deepEqual(
      demand[0]?.days,
      [...expected].map(([on, quantity]) => ({ on, quantity })).sort((a, b) => a.on.localeCompare(b.on)),
    );
    assert.deepEqual(demand[1], { productId: 'nothing', days: [] });
  });

  it('writes once for a key: again, five times at once, whatever has changed since', async () => {
    const erp = open();
    const purchase = await aPurchase(erp, 2);
    const productId = purchase.lines[0]?.productId ?? '';
    const idempotencyKey = aKey();
    const precondition = [await versionOf(erp, 'stock', productId)];
    const before = (await allOf(erp, 'purchaseOrder')).length;
    assert.equal(await erp.findByKey(idempotencyKey), undefined);
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => done(erp.write(purchase, { idempotencyKey, precondition }))),
    );
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    await done(erp.write(purchase, { idempotencyKey: aKey(), precondition: [] }));
    assert.deepEqual(await erp.write(purchase, { idempotencyKey, precondition }), answers[0]);
    assert.deepEqual(await erp.findByKey(idempotencyKey), answers[0]);
    assert.equal((await allOf(erp, 'purchaseOrder')).length, before + 2);
    const other = await aPurchase(erp, 3);
    const reused = await erp.write(other, { idempotencyKey, precondition: [] });
    assert.ok(reused.outcome === 'refused' && reused.reason === 'key_reused');
  });

  it('does nothing when what was read has changed, says what, and lets the key try again', async () => {
    const erp = open();
    const purchase = await aPurchase(erp, 4);
    const productId = purchase.lines[0]?.productId ?? '';
    const read = await versionOf(erp, 'stock', productId);
    await done(erp.write(purchase, { idempotencyKey: aKey(), precondition: [read] }));
    const before = (await allOf(erp, 'purchaseOrder')).length;
    const idempotencyKey = aKey();
    const gone = { kind: 'stock', id: 'nothing', version: '1' } as const;
    const stale = await erp.write(purchase, { idempotencyKey, precondition: [read, gone] });
    assert.ok(stale.outcome === 'stale');
    assert.deepEqual(
      stale.changed.map(({ expected, now }) => [expected, now?.record.id]),
      [
        [read, productId],
        [gone, undefined],
      ],
    );
    assert.equal((await allOf(erp, 'purchaseOrder')).length, before);
    await done(erp.write(purchase, { idempotencyKey, precondition: [await versionOf(erp, 'stock', productId)] }));
  });

  it('takes a purchase back, and leaves the stock as it was', async () => {
    const erp = open();
    const purchase = await aPurchase(erp, 5);
    const productId = purchase.lines[0]?.productId ?? '';
    const before = await erp.get('stock', productId);
    const { result } = await done(erp.write(purchase, { idempotencyKey: aKey(), precondition: [] }));
    const cancel = { kind: 'cancelPurchaseOrder', purchaseOrderId: result.record.id, reason: 'a test' } as const;
    const cancelled = await done(erp.write(cancel, { idempotencyKey: aKey(), precondition: [] }));
    assert.ok(cancelled.result.kind === 'purchaseOrder' && cancelled.result.record.status === 'cancelled');
    assert.equal((await erp.get('stock', productId))?.onOrder, before?.onOrder);
    const twice = await erp.write(cancel, { idempotencyKey: aKey(), precondition: [] });
    assert.ok(twice.outcome === 'refused' && twice.reason === 'wrong_status');
  });

  it('refuses by name: what does not exist, what is not sold so, what is no command', async () => {
    const erp = open();
    const purchase = await aPurchase(erp, 6);
    const write = async (command: object) =>
      erp.write({ ...purchase, ...command }, { idempotencyKey: aKey(), precondition: [] });
    const [line] = purchase.lines;
    assert.deepEqual(await write({ supplierId: 'nobody' }), { outcome: 'not_found', kind: 'supplier', id: 'nobody' });
    const dear = await write({ lines: [{ ...line, unitCost: { amount: 1, currency: 'EUR' } }] });
    assert.ok(dear.outcome === 'refused' && dear.reason === 'wrong_cost');
    await assert.rejects(write({ lines: [] }), InvalidInputError);
  });

  it('tells what changed since a cursor, all kinds together, beginning with now', async () => {
    const erp = open();
    const now = await erp.changes({ cursor: null, limit: 100 });
    assert.deepEqual([now.items, now.hasMore], [[], false]);
    const purchase = await aPurchase(erp, 7);
    const { result } = await done(erp.write(purchase, { idempotencyKey: aKey(), precondition: [] }));
    const { items, nextCursor } = await erp.changes({ cursor: now.nextCursor, limit: 100 });
    assert.deepEqual(items.map(({ kind, id }) => `${kind} ${id}`).sort(), [
      `purchaseOrder ${result.record.id}`,
      `stock ${purchase.lines[0]?.productId}`,
    ]);
    assert.deepEqual((await erp.changes({ cursor: nextCursor, limit: 100 })).items, []);
  });
}

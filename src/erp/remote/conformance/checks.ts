/** The contract, line by line. A check throws what it found wrong, and takes back the orders it has placed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Broken, type ContractCheck } from '../../../domain/checks.ts';
import { ERP_RECORDS, type ErpKind } from '../../../domain/schemas/erp-records.ts';
import { aKey, brief, type Probe } from './probe.ts';

const KINDS = Object.keys(ERP_RECORDS) as ErpKind[];
const LOOK_EVERY_MS = 250;

export const CHECKS: readonly ContractCheck<Probe>[] = [
  {
    name: 'refuses a token that is not the tenant’s',
    remedy: 'Check Authorization: Bearer before anything else; answer 401 {"code":"unauthorized"}.',
    run: async (probe) =>
      probe.refused(
        'get',
        { kind: 'product', id: 'x' },
        { status: 401, code: 'unauthorized', token: 'not-this-token' },
      ),
  },
  {
    name: 'refuses a body that does not fit, and a cursor that is none',
    remedy: 'Answer 400 {"code":"invalid","detail":"cursor: …"}: never a 500, never an empty page.',
    async run(probe) {
      const invalid = { status: 400, code: 'invalid' };
      await probe.refused('list', { kind: 'unicorn', limit: 1 }, invalid);
      await probe.refused('list', { kind: 'product', limit: 1, cursor: 'no-such-cursor' }, invalid);
      await probe.refused('write', { idempotencyKey: aKey(), precondition: [], command: { kind: 'dance' } }, invalid);
    },
  },
  {
    name: 'lists every kind of record in the shape of the contract',
    remedy:
      'POST /records/list answers {"items": [{"kind", "record"}], "nextCursor", "hasMore"}; see docs/erp.openapi.json.',
    async run(probe) {
      for (const kind of KINDS) {
        const { items } = await probe.read('list', { kind, limit: 20 });
        const other = items.find((one) => one.kind !== kind);
        if (other !== undefined) throw new Broken(`a list of ${kind} has a ${other.kind}`);
      }
    },
  },
  {
    name: 'pages through a list without losing or repeating one, and ends with a cursor',
    remedy: 'Order by the last change; the cursor names the last one told, also at the end ("hasMore": false).',
    async run(probe) {
      const { items } = await probe.all('offer', 2);
      const ids = new Set(items.map(({ id }) => id));
      if (ids.size < items.length)
        throw new Broken(`${items.length} offers were listed, only ${ids.size} different ones`);
      const whole = await probe.all('offer');
      if (whole.items.length !== ids.size)
        throw new Broken(`pages of 2 have ${ids.size} offers, pages of 100 ${whole.items.length}`);
      const after = await probe.read('list', { kind: 'offer', limit: 10, cursor: whole.cursor });
      if (after.items.length > 0 || after.hasMore)
        throw new Broken('after the last cursor, there are offers that have not changed');
    },
  },
  {
    name: 'gets one record, and null where there is none',
    remedy: 'POST /records/get answers {"found": {"kind", "record"}} or {"found": null}.',
    async run(probe) {
      const [first] = (await probe.read('list', { kind: 'supplier', limit: 1 })).items;
      const { found } = await probe.read('get', { kind: 'supplier', id: first?.record.id ?? 'x' });
      if (found?.record.id !== first?.record.id) throw new Broken('a supplier that was listed was not found');
      const none = await probe.read('get', { kind: 'supplier', id: 'no-such-supplier' });
      if (none.found !== null) throw new Broken('found a supplier that does not exist');
    },
  },
  {
    name: 'narrows a list by its fields',
    remedy: '"where" is equality of each named field, all together; "productId" of an order means any of its lines.',
    async run(probe) {
      const { productId } = await probe.purchase();
      const { items } = await probe.read('list', { kind: 'offer', limit: 100, where: { productId } });
      if (items.length === 0) throw new Broken('no offer of a product that has one');
      if (items.some(({ record }) => !('productId' in record) || record.productId !== productId))
        throw new Broken('an offer of another product is in the list');
    },
  },
  {
    name: 'adds up demand of the products asked for',
    remedy: 'POST /demand answers {"items": [{"productId", "days": [{"on", "quantity"}]}]}, days ascending.',
    async run(probe) {
      const { productId } = await probe.purchase();
      const to = new Date().toISOString().slice(0, 10);
      const from = new Date(Date.now() - 60 * 86_400_000).toISOString().slice(0, 10);
      const { items } = await probe.read('demand', { productIds: [productId], from, to });
      if (items.some((item) => item.productId !== productId)) throw new Broken('told the demand of another product');
      const days = items.flatMap((item) => item.days.map(({ on }) => on));
      if (days.some((on) => on < from || on > to)) throw new Broken('told of days that were not asked for');
      if (days.join() !== [...days].sort().join()) throw new Broken('the days are not ascending');
    },
  },
  {
    name: 'writes once for a key: asked twice, and five times at once',
    remedy:
      'Keep the key with what was done in one transaction, under a unique index; a repeat answers what the first did.',
    async run(probe) {
      const { command } = await probe.purchase();
      const write = { idempotencyKey: aKey(), precondition: [], command };
      const ids = await Promise.all(Array.from({ length: 5 }, async () => ordered(probe, write)));
      ids.push(await ordered(probe, write));
      const different = [...new Set(ids)];
      for (const id of different) await takeBack(probe, id);
      if (different.length > 1) throw new Broken(`one key placed ${different.length} purchase orders`);
      if ((await ordered(probe, write)) !== ids[0])
        throw new Broken('after the order was cancelled, its key placed another');
    },
  },
  {
    name: 'finds what was done under a key, and nothing where there is none',
    remedy: 'POST /writes/find answers {"found": …} with the first answer, or {"found": null}.',
    async run(probe) {
      const { command } = await probe.purchase();
      const idempotencyKey = aKey();
      const nothing = await probe.read('findByKey', { idempotencyKey });
      const id = await ordered(probe, { idempotencyKey, precondition: [], command });
      const { found } = await probe.read('findByKey', { idempotencyKey });
      await takeBack(probe, id);
      if (nothing.found !== null) throw new Broken('found something under a key that was never used');
      if (found?.result.record.id !== id) throw new Broken('what was done was not found under its key');
    },
  },
  {
    name: 'a lost answer: what was done is found, and written again it is still one',
    remedy: 'Do it and keep the key whether or not the caller is still there.',
    async run(probe) {
      const { command } = await probe.purchase();
      const write = { idempotencyKey: aKey(), precondition: [], command };
      await probe.askAndHangUp('write', write);
      const first = await settled(probe, write.idempotencyKey);
      const again = await ordered(probe, write);
      const { found } = await probe.read('findByKey', { idempotencyKey: write.idempotencyKey });
      await takeBack(probe, again);
      if (first !== undefined && first !== again)
        throw new Broken(`one key placed two purchase orders: ${first} and ${again}`);
      if (found?.result.record.id !== again) throw new Broken('what was done was not found under its key');
    },
  },
  {
    name: 'refuses a key that stands for another command',
    remedy: 'Keep a fingerprint of the command with the key; answer {"outcome":"refused","reason":"key_reused"}.',
    async run(probe) {
      const { command } = await probe.purchase();
      const idempotencyKey = aKey();
      const id = await ordered(probe, { idempotencyKey, precondition: [], command });
      const other = { ...command, note: 'another command' };
      const answer = await probe.read('write', { idempotencyKey, precondition: [], command: other });
      await takeBack(probe, id);
      if (answer.outcome !== 'refused' || answer.reason !== 'key_reused') throw new Broken(`answered ${brief(answer)}`);
    },
  },
  {
    name: 'does nothing when what was read has changed, says what, and lets the key try again',
    remedy:
      'Compare each version of the precondition in the transaction of the write; keep no key for {"outcome":"stale"}.',
    async run(probe) {
      const { command, productId } = await probe.purchase();
      const stock = async () => (await probe.read('get', { kind: 'stock', id: productId })).found?.record.version ?? '';
      const read = { kind: 'stock', id: productId, version: await stock() };
      const first = await ordered(probe, { idempotencyKey: aKey(), precondition: [read], command });
      const idempotencyKey = aKey();
      const answer = await probe.read('write', { idempotencyKey, precondition: [read], command });
      if (answer.outcome === 'done') await takeBack(probe, answer.result.record.id);
      if (answer.outcome !== 'stale')
        throw new Broken(`a purchase order changes the stock level’s version; answered ${brief(answer)}`);
      if (answer.changed[0]?.now?.record.id !== productId) throw new Broken('does not tell the record as it is now');
      const second = await ordered(probe, {
        idempotencyKey,
        precondition: [{ ...read, version: await stock() }],
        command,
      });
      for (const id of [first, second]) await takeBack(probe, id);
    },
  },
  {
    name: 'refuses by name: an unknown supplier, an order cancelled twice',
    remedy: 'Answer 200 {"outcome":"not_found","kind","id"} or {"outcome":"refused","reason":"wrong_status","detail"}.',
    async run(probe) {
      const { command } = await probe.purchase();
      const nobody = await probe.read('write', {
        idempotencyKey: aKey(),
        precondition: [],
        command: { ...command, supplierId: 'no-such-supplier' },
      });
      if (nobody.outcome !== 'not_found') throw new Broken(`an unknown supplier was answered ${brief(nobody)}`);
      const id = await ordered(probe, { idempotencyKey: aKey(), precondition: [], command });
      await takeBack(probe, id);
      const twice = await probe.read('write', cancelling(id));
      if (twice.outcome !== 'refused' || twice.reason !== 'wrong_status')
        throw new Broken(`a second cancelling was answered ${brief(twice)}`);
    },
  },
  {
    name: 'tells what changed since a cursor',
    remedy:
      'POST /changes with "cursor": null answers the cursor of now; later, what changed since, in the order of commit.',
    async run(probe) {
      const now = await probe.read('changes', { cursor: null, limit: 100 });
      if (now.items.length > 0) throw new Broken('asked for the cursor of now, it told of changes');
      const { command } = await probe.purchase();
      const id = await ordered(probe, { idempotencyKey: aKey(), precondition: [], command });
      const { items } = await probe.read('changes', { cursor: now.nextCursor, limit: 100 });
      await takeBack(probe, id);
      if (!items.some((one) => one.kind === 'purchaseOrder' && one.id === id))
        throw new Broken('a purchase order was placed, and is not among the changes');
    },
  },
];

/** The id of the order that a write has placed. @throws {Broken} */
async function ordered(probe: Probe, write: object): Promise<string> {
  const answer = await probe.read('write', write);
  if (answer.outcome === 'done' && answer.result.kind === 'purchaseOrder') return answer.result.record.id;
  throw new Broken(`a purchase order that fits its supplier’s offer was answered ${brief(answer)}`);
}

function cancelling(purchaseOrderId: string): object {
  const command = { kind: 'cancelPurchaseOrder', purchaseOrderId, reason: 'Attaché conformance test.' };
  return { idempotencyKey: aKey(), precondition: [], command };
}

async function takeBack(probe: Probe, id: string): Promise<void> {
  const answer = await probe.read('write', cancelling(id));
  if (answer.outcome !== 'done') throw new Broken(`a purchase order cannot be cancelled: ${brief(answer)}`);
}

/** What was done under the key, once the server knows of it; undefined: it never came to know. */
async function settled(probe: Probe, idempotencyKey: string): Promise<string | undefined> {
  const deadline = Date.now() + probe.settlesMs;
  for (;;) {
    const { found } = await probe.read('findByKey', { idempotencyKey });
    if (found !== null || Date.now() > deadline) return found?.result.record.id;
    await sleep(LOOK_EVERY_MS);
  }
}

import assert from 'node:assert/strict';
import { generateBusiness } from '../../src/erp/demo/business/generate-business.ts';
import { createDemoErp } from '../../src/erp/demo/demo-erp.ts';
import { createMemoryBooks } from '../../src/erp/demo/memory-books.ts';
import { examineErp, TEST_TOKEN } from '../../src/erp/remote/conformance/examine.ts';
import { startErpServer } from '../../src/erp/simulated/erp-server.ts';
import type { Breach } from '../../src/erp/simulated/serve.ts';
import { attache, failedChecks } from '../support/cli.ts';
import { ERP_SEED } from '../support/erp-port.ts';

describe('conformance of an ERP’s server', () => {
  const impatient: typeof examineErp = async (options) => examineErp({ ...options, settlesMs: 100 });
  const { records } = generateBusiness(ERP_SEED);

  async function examine(breaches: readonly Breach[]) {
    const erp = createDemoErp({ books: createMemoryBooks({ records }) });
    const server = await startErpServer({ erpOf: () => erp, token: TEST_TOKEN, breaches });
    try {
      const ran = await attache(['conformance', '--erp', server.url], { processes: { erpConformance: impatient } });
      return {
        ...ran,
        open: (await erp.list('purchaseOrder', { limit: 500, where: { status: 'open' } })).items.length,
      };
    } finally {
      await server.close();
    }
  }

  it('passes the reference server, exits 0, and leaves no order behind', async () => {
    const open = records.filter((one) => one.kind === 'purchaseOrder' && one.record.status === 'open').length;
    const ran = await examine([]);
    assert.deepEqual([ran.exit, failedChecks(ran), ran.open], [0, [], open], ran.out);
    assert.match(ran.out, /all 14 checks passed/);
  });

  for (const [breach, names] of [
    ['trustsAnybody', ['refuses a token']],
    ['forgetsKeys', ['writes once for a key', 'finds what was done', 'a lost answer', 'refuses a key that']],
    ['ignoresPreconditions', ['does nothing when what was read has changed']],
    ['findsNothing', ['finds what was done', 'a lost answer']],
    ['restartsCursors', ['refuses a body', 'pages through a list']],
  ] as const satisfies readonly (readonly [Breach, readonly string[]])[])
    it(`fails a server that ${breach} where that shows, and nowhere else`, async () => {
      const ran = await examine([breach]);
      assert.equal(ran.exit, 1);
      const found = failedChecks(ran);
      assert.deepEqual(
        found.map((name) => names.find((one) => name.startsWith(one)) ?? name),
        [...names],
        ran.out,
      );
    });

  it('says of a server that is not there that it does not answer', async () => {
    const gone = await attache(['conformance', '--erp', 'http://127.0.0.1:9'], {
      processes: { erpConformance: impatient },
    });
    assert.equal(failedChecks(gone).length, 14);
    assert.equal((await attache(['conformance', '--erp', 'erp.example.com'])).exit, 2);
  });
});

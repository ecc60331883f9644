import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { examineCrm } from '../../../src/channels/generic/conformance/examine.ts';
import { crmChannelOpenApi } from '../../../src/channels/generic/openapi.ts';
import { startCrmServer, type CrmFault } from '../../../src/channels/simulated/crm-server.ts';
import { attache, failedChecks } from '../../support/cli.ts';
import { SECRET } from '../../support/receiver.ts';

const impatient: typeof examineCrm = async (options) => examineCrm({ ...options, settlesMs: 300 });

describe('conformance of a CRM’s own server', () => {
  async function examine(faults: readonly CrmFault[]) {
    const crm = await startCrmServer({ secret: SECRET, conversations: ['conformance'], faults });
    try {
      return await attache(['conformance', crm.url, '--secret', SECRET], { processes: { conformance: impatient } });
    } finally {
      await crm.close();
    }
  }

  it('passes the reference server, line by line, and exits 0', async () => {
    const ran = await examine([]);
    assert.deepEqual([ran.exit, failedChecks(ran)], [0, []]);
    assert.match(ran.out, /all 12 checks passed/);
  });

  it('fails a server that trusts anybody on signatures alone', async () => {
    const ran = await examine(['trustsAnybody']);
    assert.equal(ran.exit, 1);
    assert.deepEqual(
      failedChecks(ran).map((name) => name.slice(0, 26)),
      ['refuses what is not signed'],
    );
    assert.match(ran.out, /an unsigned request was answered 200, not 401\n +→ Check the Standard Webhooks signature/);
  });

  it('fails a server that checks signatures over bodies it has parsed and written again, and names what it asked (B18)', async () => {
    const ran = await examine(['parsesFirst']);
    assert.deepEqual(
      failedChecks(ran).map((name) => name.slice(0, 20)),
      ['checks the signature'],
    );
    assert.match(ran.out, /\/messages\/send answered 401 to what was signed/);
  });

  it('fails a server that forgets references wherever something is sent twice', async () => {
    const names = failedChecks(await examine(['forgetsReferences']));
    assert.equal(names.length, 4);
    for (const part of ['asked twice', 'five times', 'a lost answer', 'keeps a note, once'])
      assert.ok(
        names.some((name) => name.includes(part)),
        part,
      );
  });

  it('fails a server that cannot find what it sent, and one that explains nothing', async () => {
    const lost = failedChecks(await examine(['findsNothing']));
    assert.deepEqual(
      lost.map((name) => name.slice(0, 5)),
      ['finds', 'a los'],
    );
    const plain = failedChecks(await examine(['plainErrors']));
    assert.deepEqual(
      plain.map((name) => name.slice(0, 7)),
      ['refuses', 'says wh'],
    );
  });

  it('says of a server that is not there that it does not answer', async () => {
    const ran = await attache(['conformance', 'http://127.0.0.1:9'], { processes: { conformance: impatient } });
    assert.equal(failedChecks(ran).length, 12);
    assert.equal(ran.out.match(/no answer/g)?.length, 1, 'one cause, told once');
    assert.equal(ran.out.match(/for the same reason/g)?.length, 9);
    assert.equal((await attache(['conformance', 'crm.example.com'])).exit, 2);
  });
});

describe('docs/crm-channel.openapi.json', () => {
  it('is what the channel speaks (npm run build writes it)', () => {
    assert.equal(readFileSync('docs/crm-channel.openapi.json', 'utf8'), crmChannelOpenApi());
  });
});

import assert from 'node:assert/strict';
import type { TenantId } from '../../src/domain/ids.ts';
import { checkServer } from '../../src/processes/check-server.ts';
import { checkRetention } from '../../src/processes/check-temporal.ts';
import { testApi } from '../support/api.ts';
import { serveApi, type Served } from '../support/cli.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { aConversation, aRun } from '../support/facts.ts';

const HOUR = 3_600_000;
const ENDED = { status: 'REMOVED_BY_USER', reason: 'detached', phase: null, nextRunAt: null } as const;
const SECRET = 'secret-of-the-crm-16';

describe('the doctor', () => {
  let opened: TestDesk;
  let served: Served;
  const look = async (apiKey?: string) =>
    (await checkServer({ url: served.url, apiKey })).map(({ name, ok, detail, remedy }) =>
      [ok ? 'ok' : 'WRONG', name, detail, remedy ?? ''].join(' | '),
    );
  before(async () => {
    opened = await openTestDesk();
    const keys = [{ name: 'crm', role: 'viewer', tenant: 'demo', secret: SECRET }] as never[];
    served = await serveApi(testApi({ desk: opened.desk, keys }).deps);
  });
  after(async () => {
    await served.close();
    await opened.close();
  });

  it('wants what has ended to stay in Temporal for a day, and says how', () => {
    const short = checkRetention(HOUR, '--address 127.0.0.1:7233 --namespace shop');
    assert.equal(short.ok, false);
    assert.match(short.detail, /stay in Temporal for 1h/);
    assert.match(short.remedy ?? '', /namespace update --address 127\.0\.0\.1:7233 --namespace shop --retention 72h/);
    assert.equal(checkRetention(24 * HOUR, '').ok, true);
    assert.equal(checkRetention(0, '').ok, true);
  });

  it('says whose key it shows and as what, and that one which is not known must be replaced', async () => {
    assert.deepEqual(await look(SECRET), [
      `ok | server | ${served.url} | `,
      'ok | access | crm, viewer | ',
      'ok | channels of demo | simulated | ',
    ]);
    assert.match((await look('nobody-knows-this-secret')).at(-1) ?? '', /^WRONG \| access \|.*401.*ATTACHE_API_KEY/);
  });

  it('names a channel whose provider refuses us, and says what to mend', async () => {
    const channel = { tenant: 'demo' as TenantId, channel: 'simulated' };
    await opened.desk.shutChannels.shut({ ...channel, code: '190' });
    assert.match(
      (await look(SECRET)).at(-1) ?? '',
      /^WRONG \| channels of demo \| simulated: .*\(190\) \|.*credentials/,
    );
    await opened.desk.shutChannels.reopen(channel);
  });

  it('names a channel that is switched off, and where to read by whom', async () => {
    const off = { scope: 'channel', key: 'simulated', by: 'ana', reason: 'rude' } as const;
    await opened.desk.switches.turnOff({ tenant: 'demo' as TenantId, ...off, at: new Date().toISOString() });
    assert.match(
      (await look(SECRET)).at(-1) ?? '',
      /^WRONG \| channels of demo \| simulated is switched off.*switches/,
    );
  });

  it('names a run that no worker can wake, and why', async () => {
    const run = aRun(aConversation().subject, { tenant: 'demo' as TenantId });
    await opened.desk.runs.insertIfAbsent(run);
    await opened.desk.runs.recordHeldUp({ attachment: run.id, why: 'no worker here knows the agent no-such' });
    const said = await look(SECRET);
    assert.match(said.at(-1) ?? '', /^WRONG \| runs of demo \| run\/.* cannot wake: no worker here knows .*deploy/);
    await opened.desk.runs.recordEnd({ run: { ...run, ...ENDED, endedAt: new Date().toISOString() }, unhandled: [] });
    assert.equal((await look(SECRET)).length, said.length - 1);
  });

  it('says what to start where no server is known, or none answers', async () => {
    const [unknown] = await checkServer({ url: undefined, apiKey: undefined });
    assert.match(unknown?.remedy ?? '', /attache dev.*ATTACHE_URL/);
    const [away] = await checkServer({ url: 'http://127.0.0.1:9', apiKey: undefined });
    assert.equal(away?.ok, false);
    assert.match(away.remedy ?? '', /attache server.*ATTACHE_URL/);
  });
});

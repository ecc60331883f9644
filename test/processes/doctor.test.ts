import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Check } from '../../src/domain/checks.ts';
import type { TenantId } from '../../src/domain/ids.ts';
import { serve } from '@hono/node-server';
import { checkServer } from '../../src/processes/check-server.ts';
import { checkRetention } from '../../src/processes/check-temporal.ts';
import { checkWorkers } from '../../src/processes/check-workers.ts';
import { checkVersions, type Told } from '../../src/processes/check-versions.ts';
import { testApi } from '../support/api.ts';
import { serveApi, type Served } from '../support/cli.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { aConversation, aRun } from '../support/facts.ts';

const HOUR = 3_600_000;
const ENDED = { status: 'REMOVED_BY_USER', reason: 'detached', phase: null, nextRunAt: null } as const;
const SECRET = 'secret-of-the-crm-16';

function lines(checks: readonly Check[]): string[] {
  return checks.map(({ name, ok, detail, remedy }) => [ok ? 'ok' : 'WRONG', name, detail, remedy ?? ''].join(' | '));
}

describe('the doctor', () => {
  let opened: TestDesk;
  let served: Served;
  const look = async (apiKey?: string) => lines((await checkServer({ url: served.url, apiKey })).checks);
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

  it('names what is switched off, by whom and why, and how to switch it on', async () => {
    const off = { tenant: 'demo' as TenantId, scope: 'tenant', key: '*' } as const;
    await opened.desk.switches.turnOff({ ...off, by: 'ana', reason: 'rude', at: new Date().toISOString() });
    assert.match(
      (await look(SECRET)).at(-1) ?? '',
      /^WRONG \| switches of demo \| tenant\/\* is switched off by ana: rude \| attache switches on 'tenant\/\*' --tenant demo/,
    );
    await opened.desk.switches.turnOn(off);
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
    const unknown = await checkServer({ url: undefined, apiKey: undefined });
    assert.match(unknown.checks[0]?.remedy ?? '', /attache dev.*ATTACHE_URL/);
    const away = await checkServer({ url: 'http://127.0.0.1:9', apiKey: undefined });
    assert.equal(away.checks[0]?.ok, false);
    assert.match(away.checks[0].remedy ?? '', /attache server.*ATTACHE_URL/);
    assert.deepEqual([...unknown.servers, ...away.servers], []);
  });

  it('names what a server lacks that is not ready, with what to mend, and takes no other for one', async () => {
    const fakes = testApi();
    fakes.desk.outage = new Error('connection refused');
    const lacking = await serveApi(fakes.deps);
    const { checks, servers } = await checkServer({ url: lacking.url, apiKey: undefined });
    await lacking.close();
    assert.match(
      lines(checks).join(),
      /not ready: database: connection refused \| .*DATABASE_URL where the server runs/,
    );
    assert.deepEqual(servers, [{ part: 'server', version: '0.0.0' }]);
    const other = serve({ fetch: () => new Response('<h1>It works!</h1>'), port: 0, hostname: '127.0.0.1' });
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const wrong = await checkServer({ url: `http://127.0.0.1:${port}`, apiKey: undefined });
    other.close();
    assert.match(lines(wrong.checks).join(), /no Attaché \| correct ATTACHE_URL/);
  });

  it('says which queue no worker asks for work, and does not count who asked minutes ago', async () => {
    const ago = (seconds: number) => ({ seconds: Math.floor(Date.now() / 1_000) - seconds }) as never;
    const look = async (asking: Record<string, { identity: string; lastAccessTime: never }[]>) => {
      const describeTaskQueue = async ({ taskQueue: { name } }: { taskQueue: { name: string } }) =>
        Promise.resolve({ pollers: asking[name] ?? [] });
      const { check, workers } = await checkWorkers({ describeTaskQueue }, 'shop');
      return [...lines([check]), ...workers.map(({ process, version }) => `${process ?? ''} ${version ?? 'silent'}`)];
    };
    const [gone, here] = [ago(200), ago(40)];
    const [none] = await look({ attache: [{ identity: '1@host (attache 0.1.0)', lastAccessTime: gone }] });
    assert.match(none ?? '', /^WRONG \| workers \| none asks for work.*\| attache worker/);
    const [half, ...those] = await look({ attache: [{ identity: '1@host', lastAccessTime: here }] });
    assert.match(half ?? '', /^WRONG \| workers \| none asks for the queue attache-thinking/);
    assert.deepEqual(those, ['1@host silent']);
  });

  it('tells every version, and of all that are behind the newest how to bring them there', () => {
    const told = (command: string, server: string | null, ...workers: (string | null)[]) =>
      lines(
        checkVersions([
          { part: 'command', version: command },
          { part: 'server', version: server },
          ...workers.map((version, at): Told => ({ part: 'worker', process: `${at + 1}@host`, version })),
        ]),
      );
    assert.deepEqual(told('1.2.0', '1.2.0', '1.2.0', '1.2.0'), [
      'ok | version of this command | 1.2.0 | ',
      'ok | version of the server | 1.2.0 | ',
      'ok | version of workers | 1.2.0: 1@host, 2@host | ',
    ]);
    const [command, server, newest, old, silent] = told('1.9.0', null, '1.10.0', '1.10.0-rc.2', null);
    assert.match(command ?? '', /^WRONG .* \| 1\.9\.0; the newest here is 1\.10\.0 \| install 1\.10\.0 here/);
    assert.match(server ?? '', /^WRONG .* \| not told; .*attache server/);
    assert.equal(newest, 'ok | version of workers | 1.10.0: 1@host | ');
    assert.match(old ?? '', /^WRONG .* \| 1\.10\.0-rc\.2: 2@host; .*attache worker/);
    assert.match(silent ?? '', /^WRONG .* \| not told: 3@host; /);
  });
});

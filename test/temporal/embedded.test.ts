import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectClient, embeddedTarget, TemporalUnreachableError } from '../../src/temporal/connection.ts';
import {
  type EmbeddedTemporal,
  EmbeddedTemporalError,
  startEmbeddedTemporal,
  stopLeftBehind,
} from '../../src/temporal/embedded.ts';
import { PortTakenError } from '../../src/machine/ports.ts';
import { startOf } from '../../src/machine/processes.ts';
import { missingSearchAttributes } from '../../src/temporal/register-attributes.ts';
import { startAttributes } from '../../src/temporal/search-attributes.ts';
import { parseSlot, parseSubject, parseTenantId } from '../../src/domain/ids.ts';
import { temporalCli } from '../support/binaries.ts';

describe('the embedded Temporal', () => {
  let dataDir: string;
  const running: EmbeddedTemporal[] = [];

  before(() => void (dataDir = mkdtempSync(join(tmpdir(), 'attache-embedded-'))));
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.stop()));
  });
  after(async () => {
    await stopLeftBehind(join(dataDir, 'temporal', 'temporal.db'));
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = async (options: { port?: number; uiPort?: number } = {}): Promise<EmbeddedTemporal> => {
    const server = await startEmbeddedTemporal({ binary: temporalCli(), dataDir, ...options });
    running.push(server);
    return server;
  };

  it('serves with the search attributes registered and the Web UI on, and is gone when stopped', async () => {
    const server = await start();
    const client = await connectClient(embeddedTarget(server.address));
    assert.deepEqual(await missingSearchAttributes({ connection: client.connection, namespace: 'default' }), []);
    const run = {
      tenant: parseTenantId('demo'),
      subject: parseSubject('conversation/1'),
      slot: parseSlot('answering'),
    };
    const typedSearchAttributes = startAttributes({ ...run, agent: 'a', nextRunAt: new Date().toISOString() });
    await client.workflow.start('sleeper', { taskQueue: 'nobody', workflowId: 'kept', typedSearchAttributes });
    await client.connection.close();
    assert.equal((await fetch(server.uiUrl)).status, 200);
    await server.stop();
    assert.equal(startOf(server.pid), undefined);
    await assert.rejects(connectClient(embeddedTarget(server.address)), TemporalUnreachableError);
  });

  it('keeps its workflows over a kill -9 of the process that started it, whose server it finds and stops', async () => {
    const parent = startInAnotherProcess(dataDir);
    const [line] = (await once(parent.stdout ?? parent, 'data')) as [Buffer];
    const left = JSON.parse(line.toString()) as { pid: number; address: string };
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    assert.notEqual(startOf(left.pid), undefined, 'the server outlives its parent');
    const server = await start();
    assert.equal(startOf(left.pid), undefined, 'the one left behind is gone');
    const client = await connectClient(embeddedTarget(server.address));
    const { status } = await client.workflow.getHandle('kept').describe();
    assert.equal(status.name, 'RUNNING');
    await client.connection.close();
  });

  it('says which variable chooses another port when one is taken', async () => {
    const occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const { port } = occupant.address() as AddressInfo;
    await assert.rejects(start({ port }), (error: Error) => {
      assert.ok(error instanceof PortTakenError);
      assert.match(error.message, new RegExp(`${port}.*ATTACHE_TEMPORAL_PORT`));
      return true;
    });
    await assert.rejects(start({ uiPort: port }), /ATTACHE_TEMPORAL_UI_PORT/);
    occupant.close();
  });

  it('quotes the log when the program ends instead of serving', async () => {
    const wrong = startEmbeddedTemporal({ binary: process.execPath, dataDir });
    await assert.rejects(wrong, (error: Error) => {
      assert.ok(error instanceof EmbeddedTemporalError);
      assert.match(error.message, /ended while starting.*\n.*/s);
      return true;
    });
  });

  it('writes its log into the data folder', async () => {
    const server = await start();
    assert.equal(existsSync(server.logFile), true);
    assert.ok(server.logFile.startsWith(dataDir));
  });
});

function startInAnotherProcess(dataDir: string): ChildProcess {
  const script = `
    import { startEmbeddedTemporal } from './src/temporal/embedded.ts';
    const server = await startEmbeddedTemporal({ binary: ${JSON.stringify(temporalCli())}, dataDir: ${JSON.stringify(dataDir)} });
    process.stdout.write(JSON.stringify({ pid: server.pid, address: server.address }));
    setInterval(() => {}, 1000);`;
  return spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

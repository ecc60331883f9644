import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimDevState, DevRunningError, readDevState } from '../../src/temporal/dev-state.ts';

describe('dev.json', () => {
  let dataDir: string;
  beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'attache-dev-'))));
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('tells who holds the folder and where it serves, and goes with a clean end', () => {
    const claim = claimDevState(dataDir);
    const temporal = { pid: 1, address: '127.0.0.1:7233', uiUrl: 'http://127.0.0.1:8233' };
    claim.tell({ temporal });
    claim.tell({ url: 'http://127.0.0.1:8080' });
    const state = readDevState(dataDir);
    assert.equal(state?.pid, process.pid);
    assert.equal(state.url, 'http://127.0.0.1:8080');
    assert.deepEqual(state.temporal, temporal);
    assert.deepEqual(readdirSync(dataDir), ['dev.json']);
    claim.release();
    assert.equal(existsSync(join(dataDir, 'dev.json')), false);
  });

  it('refuses a folder whose dev is alive, and takes it over when that one was killed', async () => {
    const holder = holdInAnotherProcess(dataDir);
    await once(holder.stdout ?? holder, 'data');
    assert.throws(
      () => claimDevState(dataDir),
      (error: Error) =>
        error instanceof DevRunningError &&
        /ATTACHE_DATA_DIR/.test(error.message) &&
        error.message.includes(String(holder.pid)),
    );
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    assert.equal(readDevState(dataDir)?.pid, holder.pid, 'the file survives a kill -9');
    claimDevState(dataDir);
    assert.equal(readDevState(dataDir)?.pid, process.pid);
  });
});

function holdInAnotherProcess(dataDir: string): ChildProcess {
  const script = `
    import { claimDevState } from './src/temporal/dev-state.ts';
    claimDevState(${JSON.stringify(dataDir)});
    process.stdout.write('held');
    setInterval(() => {}, 1000);`;
  return spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

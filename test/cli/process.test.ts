import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
const TSX = import.meta.resolve('tsx');

describe('the process attache', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'attache-cli-'));
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const node = async (
    args: string[],
    env: Record<string, string> = {},
  ): Promise<{ exit: unknown; out: string; err: string }> =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        ['--import', TSX, ...args],
        { cwd: folder, env: { PATH: process.env['PATH'] ?? '', ...env } },
        (error, out, err) => {
          resolve({ exit: error?.code ?? 0, out, err });
        },
      );
    });

  it('ends with the promised codes, and shows no stack trace', async () => {
    const cases: [string[], Record<string, string>, number, RegExp][] = [
      [['--version'], {}, 0, /^$/],
      [['runs', '--nope'], {}, 2, /--nope/],
      [['runs'], {}, 5, /attache dev/],
      [['runs'], { ATTACHE_URL: 'http://127.0.0.1:9' }, 5, /ECONNREFUSED|bad port/],
      [['runs'], { ATTACHE_URL: 'nowhere' }, 2, /ATTACHE_URL/],
      [['replay', 'nothing'], {}, 2, /source/],
    ];
    for (const [args, env, exit, says] of cases) {
      const ran = await node([CLI, ...args], env);
      assert.deepEqual([ran.exit, says.test(ran.err)], [exit, true], `${args.join(' ')}: ${ran.err}`);
      assert.doesNotMatch(ran.err, /\n +at /);
    }
  });

  it('loads nothing of Temporal to ask the server', async () => {
    const script = `
      import { Module } from 'node:module';
      process.argv = [process.execPath, 'attache', 'runs'];
      await import(${JSON.stringify(CLI)});
      console.log(JSON.stringify(Object.keys(Module._cache).filter((path) => path.includes('@temporalio'))));`;
    const ran = await node(['--input-type=module', '--eval', script]);
    assert.equal(ran.out, '[]\n');
  });
});

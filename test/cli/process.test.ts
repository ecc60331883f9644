import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
const BIN = fileURLToPath(new URL('../../bin/attache.js', import.meta.url));
const AGENT = fileURLToPath(new URL('../../examples/nudge.ts', import.meta.url));
const TSX = import.meta.resolve('tsx');

describe('the process attache', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'attache-cli-'));
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const node = async (args: string[], env: Record<string, string> = {}) => bare(['--import', TSX, ...args], env);
  const bare = async (
    args: string[],
    env: Record<string, string> = {},
  ): Promise<{ exit: unknown; out: string; err: string }> =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        args,
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

  it('examines what it can where the file of tenants has a mistake, and replays all the same', async () => {
    const config = join(folder, 'mistaken.json');
    const channels = [{ kind: 'generic', webhookSecret: '${NOT_SET}' }];
    writeFileSync(config, JSON.stringify({ tenants: { acme: { channels } } }));
    const env = { ATTACHE_CONFIG: config };
    const doctor = await node([CLI, 'doctor', '--json'], env);
    const { items } = JSON.parse(doctor.out) as { items: { name: string; ok: boolean }[] };
    assert.deepEqual(
      items.map(({ name, ok }) => `${name} ${ok}`),
      [
        ...['Node true', 'configuration false', 'Temporal false', 'database true', 'keys true', 'server false'],
        'version of this command true',
      ],
    );
    const replay = await node([CLI, 'replay', 'demo/business/nobody'], env);
    assert.deepEqual([replay.exit, /no Temporal is known here/.test(replay.err)], [5, true], replay.err);
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

  it('lets an agent in a clone import attache-agents without a build, whatever the folder', async () => {
    const script = `
      process.argv = [process.execPath, 'attache', '--version'];
      await import(${JSON.stringify(BIN)});
      const { nudge } = await import(${JSON.stringify(AGENT)});
      console.log(nudge.key);`;
    const ran = await bare(['--input-type=module', '--eval', script]);
    assert.deepEqual([ran.err, ran.out.split('\n')[1]], ['', 'nudge']);
  });

  it('keeps what it translates inside the clone', async () => {
    const TMPDIR = join(folder, 'tmp');
    mkdirSync(TMPDIR);
    const { exit } = await bare([BIN, '--version'], { TMPDIR });
    assert.deepEqual([exit, readdirSync(TMPDIR)], [0, []]);
  });

  it('says in one line that it is not installed yet', async () => {
    for (const name of ['bin', 'src']) mkdirSync(join(folder, name));
    copyFileSync(BIN, join(folder, 'bin/attache.mjs'));
    writeFileSync(join(folder, 'src/cli.ts'), '');
    const { exit, err } = await bare([join(folder, 'bin/attache.mjs'), 'runs']);
    assert.equal(exit, 1);
    assert.match(err, /^error: attache cannot be loaded: [^\n]*tsx[^\n]*node scripts\/setup\.js\n$/);
  });
});

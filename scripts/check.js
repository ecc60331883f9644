/**
 * `npm run check`: exactly what CI runs. Every step runs, whatever failed before it, and the end says what failed and
 * what was not run. TEST_DATABASE_URL: a PostgreSQL whose user may create databases; the desk and system tests then
 * run on it too. NODE24: the path of a Node 24; the fast tests then run on it too. The console's tests need a Chromium:
 * /usr/bin/chromium, or the one that CHROMIUM_PATH names.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const MOCHA = 'node_modules/mocha/bin/mocha.js';
/** As `npm test` does: the files that take longest come first, so that none of them is left over at the end. */
const TESTS = [MOCHA, 'test/{system,workflows}/**/*.test.ts', 'test/!(system|workflows)/**/*.test.ts'];
/** Real servers and saved histories: the same on every Node, and slow. */
const SLOW = ['test/system/**', 'test/replay/**', 'test/scripts/setup*'];

const { NODE24, TEST_DATABASE_URL, CHROMIUM_PATH = '/usr/bin/chromium' } = process.env;
const steps = [
  { name: 'format', args: ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'] },
  { name: 'lint', args: ['node_modules/eslint/bin/eslint.js', '.'] },
  { name: 'types', args: ['node_modules/typescript/bin/tsc'] },
  { name: 'types of the console', args: ['node_modules/typescript/bin/tsc', '--noEmit', '--project', 'src/console'] },
  { name: TEST_DATABASE_URL ? 'tests, on PGlite and PostgreSQL' : 'tests', args: TESTS },
  {
    name: 'fast tests on Node 24',
    command: NODE24,
    args: [...TESTS, ...SLOW.flatMap((glob) => ['--ignore', glob])],
    lacks: NODE24 ? undefined : 'set NODE24',
  },
  { name: 'slow tests', args: [MOCHA, '--config', 'test/slow/.mocharc.json'] },
  { name: 'build', args: ['scripts/build.js'] },
  {
    name: 'tests of the console, in Chromium',
    args: [MOCHA, '--config', 'test/console/browser/.mocharc.json'],
    lacks: existsSync(CHROMIUM_PATH) ? undefined : 'install chromium, or name it in CHROMIUM_PATH',
  },
];

const failed = [];
const notRun = TEST_DATABASE_URL ? [] : ['tests on PostgreSQL (set TEST_DATABASE_URL)'];

if (run({ args: ['scripts/setup.js', 'test'] }) !== 0) process.exit(1);
for (const step of steps) {
  if (step.lacks) {
    notRun.push(`${step.name} (${step.lacks})`);
    continue;
  }
  process.stdout.write(`\ncheck: ${step.name}\n`);
  if (run(step) !== 0) failed.push(step.name);
}
for (const name of notRun) process.stdout.write(`check: not run: ${name}\n`);
for (const name of failed) process.stdout.write(`check: FAILED: ${name}\n`);
if (failed.length === 0) process.stdout.write('check: all that ran passed\n');
process.exitCode = failed.length === 0 ? 0 : 1;

function run({ command = process.execPath, args }) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status;
}

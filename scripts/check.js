/**
 * `npm run check`: exactly what CI runs. Every step runs, whatever failed before it, and the end says what failed, how, and
 * what was not run. TEST_DATABASE_URL: a PostgreSQL whose user may create databases; the desk and system tests then
 * run on it too. NODE24: the path of a Node 24; the fast tests then run on it too. The console's tests need a Chromium:
 * /usr/bin/chromium, or the one that CHROMIUM_PATH names.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const MOCHA = 'node_modules/mocha/bin/mocha.js';
/** As `npm test` does: the files that take longest come first, so that none of them is left over at the end. */
const TESTS = [MOCHA, 'test/{system,workflows}/**/*.test.ts', 'test/!(system|workflows)/**/*.test.ts'];
/** Real servers and saved histories: the same on every Node, and slow. */
const SLOW = ['test/system/**', 'test/replay/**', 'test/scripts/setup*'];
/** Lines of a failed step's output that the end says again, where no test is to blame. */
const LAST_LINES = 15;
/** As many are told again: some eight thousand characters. */
const MOST_TESTS = 12;

const { NODE24, TEST_DATABASE_URL, CHROMIUM_PATH = '/usr/bin/chromium' } = process.env;
/** Those of one row run side by side: each keeps one core busy. */
const rows = [
  [
    { name: 'format', args: ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'] },
    { name: 'lint', args: ['node_modules/eslint/bin/eslint.js', '.'] },
  ],
  [
    { name: 'types', args: ['node_modules/typescript/bin/tsc'] },
    { name: 'types of the console', args: ['node_modules/typescript/bin/tsc', '--noEmit', '--project', 'src/console'] },
  ],
  [{ name: TEST_DATABASE_URL ? 'tests, on PGlite and PostgreSQL' : 'tests', args: TESTS }],
  [
    {
      name: 'fast tests on Node 24',
      command: NODE24,
      args: [...TESTS, ...SLOW.flatMap((glob) => ['--ignore', glob])],
      lacks: NODE24 ? undefined : 'set NODE24',
    },
  ],
  [
    { name: 'slow tests', args: [MOCHA, '--config', 'test/slow/.mocharc.json'] },
    { name: 'build', args: ['scripts/build.js'] },
  ],
  [
    {
      name: 'tests of the console, in Chromium',
      args: [MOCHA, '--config', 'test/console/browser/.mocharc.json'],
      lacks: existsSync(CHROMIUM_PATH) ? undefined : 'install chromium, or name it in CHROMIUM_PATH',
    },
  ],
];

const failed = [];
const notRun = TEST_DATABASE_URL ? [] : ['tests on PostgreSQL (set TEST_DATABASE_URL)'];

const setUp = await run({ name: 'set-up', args: ['scripts/setup.js', 'test'] });
if (setUp.status !== 0) process.exit(1);
for (const row of rows) {
  notRun.push(...row.filter(({ lacks }) => lacks).map(({ name, lacks }) => `${name} (${lacks})`));
  const ran = await Promise.all(row.filter(({ lacks }) => !lacks).map(run));
  failed.push(...ran.filter(({ status }) => status !== 0));
}
for (const name of notRun) say(`check: not run: ${name}`);
for (const { name, status, output } of failed) say(`\ncheck: FAILED (${status}): ${name}\n${blame(output)}`);
if (failed.length === 0) say('check: all that ran passed');
process.exitCode = failed.length === 0 ? 0 : 1;

/** Its output is passed on as it comes, and kept. */
async function run({ name, command = process.execPath, args }) {
  say(`\ncheck: ${name}`);
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ])
    from.setEncoding('utf8').on('data', (text) => {
      output += text;
      to.write(text);
    });
  // It cannot be started where NODE24 names nothing.
  const [status, signal] = await once(child, 'close').catch(({ code, message }) => {
    output += message;
    return [code];
  });
  return { name, status: status ?? signal, output };
}

/** The tests that failed, as `test/support/reporter.js` tells them; else how the output ends. */
function blame(output) {
  const lines = output.trimEnd().split('\n');
  const tests = lines.filter((line) => line.startsWith('failed: '));
  return (tests.length > 0 ? tests.slice(0, MOST_TESTS) : lines.slice(-LAST_LINES)).join('\n');
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

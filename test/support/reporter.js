/**
 * Mocha's spec reporter, closed by plain lines that any log reader understands: one for each failure, with its message
 * and where it was thrown, then `N passed, N failed, N skipped`.
 */
import mocha from 'mocha';

/** Of a message; some tell a whole history. */
const LONGEST = 600;
const PLACE = /^\s*at .*$/gm;
const FOREIGN = /node:|node_modules\//;

export default class ClosingLines extends mocha.reporters.Spec {
  constructor(runner, options) {
    runner.on('fail', giveTitles);
    super(runner, options);
  }

  epilogue() {
    super.epilogue();
    const { passes, failures, pending } = this.stats;
    for (const test of this.failures)
      process.stdout.write(`failed: ${test.titlePath().join(' › ')}: ${brief(test.err)}\n`);
    process.stdout.write(`${passes} passed, ${failures} failed, ${pending} skipped\n`);
  }
}

/** Mocha's worker processes hand over what was thrown outside of every test without them. */
function giveTitles(test) {
  test.fullTitle ??= () => test.title;
  test.titlePath ??= () => [test.title];
}

/** In one line. */
function brief({ message = '', stack = '' }) {
  const places = stack.match(PLACE) ?? [];
  const ours = places.filter((place) => !FOREIGN.test(place));
  const thrown = [message.slice(0, LONGEST), ...(ours.length > 0 ? ours : places).slice(0, 2)];
  return thrown.join(' ').replaceAll(/\s+/g, ' ');
}

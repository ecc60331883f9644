/** Mocha's spec reporter, closed by one plain line that any log reader understands: `N passed, N failed, N skipped`. */
import mocha from 'mocha';

export default class ClosingLine extends mocha.reporters.Spec {
  epilogue() {
    super.epilogue();
    const { passes, failures, pending } = this.stats;
    process.stdout.write(`${passes} passed, ${failures} failed, ${pending} skipped\n`);
  }
}

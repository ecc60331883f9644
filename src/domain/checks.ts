/** Trying a system that is not ours, check by check: what each came to, and what to do about those that failed. */

/** What one check came to, the doctor's or a contract's. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** Null when there is nothing to mend. */
  readonly remedy: string | null;
}

/** One line of a contract, tried through a probe. */
export interface ContractCheck<Probe> {
  readonly name: string;
  /** What to do when it fails. */
  readonly remedy: string;
  /** @throws {Broken} */
  readonly run: (probe: Probe) => Promise<void>;
}

/** What the other side did, against what it should have done. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** One after the other, since they look at the same records. @throws whatever is not {@link Broken}. */
export async function examine<Probe>(checks: readonly ContractCheck<Probe>[], probe: Probe): Promise<readonly Check[]> {
  const results: Check[] = [];
  for (const { name, remedy, run } of checks)
    try {
      await run(probe);
      results.push({ name, ok: true, detail: 'as it should be', remedy: null });
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      results.push({ name, ok: false, detail: error.message, remedy });
    }
  return results;
}

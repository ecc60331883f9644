/** `attache conformance --erp URL`: does a server keep the contract of docs/erp.openapi.json? */
import { CHECKS } from './checks.ts';
import { Broken, Probe } from './probe.ts';

export interface Conformance {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** Null when there is nothing to mend. */
  readonly remedy: string | null;
}

/** What a server under test is told when the command names no other: known to everybody, so for tests alone. */
export const TEST_TOKEN = 'attache-conformance-test-token';

const SETTLES_MS = 10_000;

/** One after the other. Places purchase orders with the tenant, and cancels them. */
export async function examineErp({
  url,
  token = TEST_TOKEN,
  tenant = 'conformance',
  settlesMs = SETTLES_MS,
}: {
  readonly url: string;
  readonly token?: string | undefined;
  readonly tenant?: string | undefined;
  readonly settlesMs?: number;
}): Promise<readonly Conformance[]> {
  const probe = new Probe({ url, token, tenant, settlesMs });
  const results: Conformance[] = [];
  for (const check of CHECKS) {
    const { name, remedy } = check;
    try {
      await check.run(probe);
      results.push({ name, ok: true, detail: 'as it should be', remedy: null });
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      results.push({ name, ok: false, detail: error.message, remedy });
    }
  }
  return results;
}

/** `attache conformance URL`: does a CRM's own server keep the contract? */
import { Broken, CHECKS } from './checks.ts';
import { Probe } from './probe.ts';

export interface Conformance {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** Null when there is nothing to mend. */
  readonly remedy: string | null;
}

/** Signs the tests of a server that is told no other: known to everybody, so for tests alone. */
export const TEST_SECRET = `whsec_${Buffer.from('attache-conformance-test-secret!').toString('base64')}`;

/** A server that answers late may still be writing: it is asked for this long. */
const SETTLES_MS = 10_000;

/** One after the other, since they look at one conversation. Writes real messages there. */
export async function examineCrm({
  url,
  secret = TEST_SECRET,
  tenant = 'conformance',
  conversation = 'conformance',
  address = conversation,
  settlesMs = SETTLES_MS,
}: {
  readonly url: string;
  readonly secret?: string | undefined;
  readonly tenant?: string | undefined;
  readonly conversation?: string | undefined;
  readonly address?: string | undefined;
  readonly settlesMs?: number;
}): Promise<readonly Conformance[]> {
  const probe = new Probe({ url, secret, tenant, conversation, address, settlesMs });
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

/** `attache conformance URL`: does a CRM's own server keep the contract? */
import { examine, type Check } from '../../../domain/checks.ts';
import { CHECKS } from './checks.ts';
import { Probe } from './probe.ts';

/** Signs the tests of a server that is told no other: known to everybody, so for tests alone. */
const TEST_SECRET = `whsec_${Buffer.from('attache-conformance-test-secret!').toString('base64')}`;

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
}): Promise<readonly Check[]> {
  return examine(CHECKS, new Probe({ url, secret, tenant, conversation, address, settlesMs }));
}

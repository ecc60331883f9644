/** `attache conformance --erp URL`: does a server keep the contract of docs/erp.openapi.json? */
import { examine, type Check } from '../../../domain/checks.ts';
import { CHECKS } from './checks.ts';
import { Probe } from './probe.ts';

/** What a server under test is told when the command names no other: known to everybody, so for tests alone. */
export const TEST_TOKEN = 'attache-conformance-test-token';

/** A server that answers late may still be writing: it is asked for this long. */
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
}): Promise<readonly Check[]> {
  return examine(CHECKS, new Probe({ url, token, tenant, settlesMs }));
}

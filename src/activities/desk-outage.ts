/** A desk that does not answer is somebody's outage: never the agent's fault, whatever the driver threw. */
import { ProviderOutageError } from '../domain/errors.ts';

/** @throws {ProviderOutageError} in place of whatever `asking` fails with. */
export async function fromDesk<Value>(asking: Promise<Value>): Promise<Value> {
  try {
    return await asking;
  } catch (cause) {
    throw new ProviderOutageError({ provider: 'desk', message: 'no answer', cause });
  }
}

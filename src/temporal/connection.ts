/** Connections to Temporal, and one clear sentence when there is none. */
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';
import type { Config } from '../config.ts';

/** Where Temporal is: the embedded one, or what the configuration says. */
export interface TemporalTarget {
  readonly connection: NativeConnectionOptions & { readonly address: string };
  readonly namespace: string;
}

/** Nobody answers at the address, or whoever does will not have us. */
export class TemporalUnreachableError extends Error {
  override readonly name = 'TemporalUnreachableError';
  readonly address: string;

  constructor(address: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(
      `Temporal cannot be reached at ${address}: ${why}. Start it there, or correct TEMPORAL_ADDRESS (and TEMPORAL_TLS, TEMPORAL_API_KEY).`,
      { cause },
    );
    this.address = address;
  }
}

/** The embedded server as a target. */
export function embeddedTarget(address: string): TemporalTarget {
  return { connection: { address }, namespace: 'default' };
}

/** Of a process that brings no Temporal of its own. @throws {Error} when the configuration names none. */
export function targetOf({ temporal }: Pick<Config, 'temporal'>): TemporalTarget {
  if (temporal.kind === 'embedded')
    throw new Error('the embedded Temporal belongs to attache dev; set TEMPORAL_ADDRESS');
  return temporal;
}

/** For the API's server and the command line. Close `client.connection`. @throws {TemporalUnreachableError} */
export async function connectClient({
  connection,
  namespace,
}: TemporalTarget): Promise<Client & { readonly connection: Connection }> {
  try {
    const opened = await Connection.connect({ ...connection, connectTimeout: CONNECT_TIMEOUT });
    return new Client({ connection: opened, namespace }) as Client & { readonly connection: Connection };
  } catch (error) {
    throw new TemporalUnreachableError(connection.address, error);
  }
}

/** For workers, and for the clients in their activities, which start workflows eagerly over it. @throws {TemporalUnreachableError} */
export async function connectWorker({ connection }: TemporalTarget): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(connection);
  } catch (error) {
    throw new TemporalUnreachableError(connection.address, error);
  }
}

/** A server that is there answers in milliseconds; whoever supervises us tries again after we have given up. */
const CONNECT_TIMEOUT = '3s';

/** A desk and the Temporal namespace in which its runs live belong together: in another one, all of them would be taken for lost. */
import { isGrpcServiceError, type Client } from '@temporalio/client';
import type { Config } from '../config.ts';
import type { Desk } from '../desk/desk.ts';
import { connectClient, TemporalUnreachableError, type TemporalTarget } from '../temporal/connection.ts';

type Place = Pick<Config, 'temporal' | 'database' | 'dataDir'>;

/** Nothing starts: the runs go on where they are. */
class StrangeNamespaceError extends Error {
  override readonly name = 'StrangeNamespaceError';

  constructor({ temporal, database, dataDir }: Place, { connection, namespace }: TemporalTarget) {
    const back =
      temporal.kind === 'embedded'
        ? `Put the folder ${dataDir}/temporal back as it was`
        : 'Correct TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE';
    const anew =
      database.kind === 'pglite'
        ? `to begin anew without them, remove all of ${dataDir}`
        : 'where the other one is gone for good, run "delete from home" on the desk\'s database: its live runs are then recorded as lost';
    super(
      `The desk's runs do not live in the namespace ${namespace} at ${connection.address}, but in another one. ${back}; or, ${anew}.`,
    );
  }
}

/** Whoever answers is a Temporal, and knows no such namespace. */
class UnknownNamespaceError extends Error {
  override readonly name = 'UnknownNamespaceError';

  constructor({ connection: { address }, namespace }: TemporalTarget) {
    super(
      `The Temporal at ${address} has no namespace ${namespace}. Correct TEMPORAL_NAMESPACE; or make it: temporal operator namespace create --address ${address} --namespace ${namespace} --retention 72h`,
    );
  }
}

/** The first start says where a desk's runs live. @throws {StrangeNamespaceError} @throws {UnknownNamespaceError} @throws {TemporalUnreachableError} */
export async function settleIn(
  { config, desk }: { readonly config: Place; readonly desk: Pick<Desk, 'home'> },
  target: TemporalTarget,
): Promise<void> {
  const client = await connectClient(target);
  try {
    const { namespaceInfo } = await describe(client, target);
    const id = namespaceInfo?.id ?? '';
    if (id !== '' && (await desk.home.namespace(id)) !== id) throw new StrangeNamespaceError(config, target);
  } finally {
    await client.connection.close();
  }
}

async function describe(client: Client, target: TemporalTarget) {
  const { namespace, connection } = target;
  try {
    return await client.withDeadline(Date.now() + DESCRIBE_DEADLINE_MS, async () =>
      client.workflowService.describeNamespace({ namespace }),
    );
  } catch (error) {
    throw isGrpcServiceError(error) && GONE.includes(error.code)
      ? new UnknownNamespaceError(target)
      : new TemporalUnreachableError(connection.address, error);
  }
}

/** NOT_FOUND of gRPC. */
const GONE: readonly number[] = [5];
/** As long as a busy machine may take. */
const DESCRIBE_DEADLINE_MS = 10_000;

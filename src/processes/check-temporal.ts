/** Is Temporal there, with the namespace, a retention that is long enough, the search attributes, and workers? */
import type { Check } from '../domain/checks.ts';
import type { Config } from '../config.ts';
import { formatDuration } from '../domain/durations.ts';
import { connectClient, TemporalUnreachableError, type TemporalTarget } from '../temporal/connection.ts';
import { knownTarget } from '../temporal/known-target.ts';
import {
  ensureSearchAttributes,
  missingSearchAttributes,
  registrationCommands,
} from '../temporal/register-attributes.ts';
import type { Told } from './check-versions.ts';
import { checkWorkers } from './check-workers.ts';
import { failed, passed, PROBE_TIMEOUT_MS, START, wordsOf } from './checks.ts';

export interface Looked {
  readonly checks: readonly Check[];
  readonly workers: readonly Told[];
}

export async function checkTemporal(config: Config, fix: boolean): Promise<Looked> {
  const target = knownTarget(config);
  if (target === undefined)
    return alone(
      failed(
        'Temporal',
        'TEMPORAL_ADDRESS is not set and no attache dev runs here',
        `${START}, or set TEMPORAL_ADDRESS`,
      ),
    );
  const { namespace } = target;
  const { address } = target.connection;
  const where = `--address ${address} --namespace ${namespace}`;
  let client: Awaited<ReturnType<typeof connectClient>>;
  try {
    client = await connectClient(target);
  } catch (error) {
    const why = wordsOf(error instanceof TemporalUnreachableError ? error.cause : error);
    const remedy = `start it at ${address}, or correct TEMPORAL_ADDRESS, TEMPORAL_TLS or TEMPORAL_API_KEY`;
    return alone(failed('Temporal', `${address}: ${why}`, remedy));
  }
  let version = '';
  let retentionMs = 0;
  try {
    // One after the other: the SDK throws, where nobody can catch it, if a connection closes while a call waits to be tried again.
    const [described, system] = await client.withDeadline(
      Date.now() + PROBE_TIMEOUT_MS,
      async () =>
        [
          await client.workflowService.describeNamespace({ namespace }),
          await client.workflowService.getSystemInfo({}),
        ] as const,
    );
    version = system.serverVersion;
    retentionMs = Number(described.config?.workflowExecutionRetentionTtl?.seconds ?? 0) * 1_000;
  } catch (error) {
    await client.connection.close();
    return alone(
      passed('Temporal', address),
      failed(
        'namespace',
        `${namespace}: ${wordsOf(error)}`,
        `correct TEMPORAL_NAMESPACE, or make it: temporal operator namespace create ${where} --retention 72h`,
      ),
    );
  }
  const attributes = await checkAttributes({ target, connection: client.connection, fix });
  const { check, workers } = await client.withDeadline(Date.now() + PROBE_TIMEOUT_MS, async () =>
    checkWorkers(client.workflowService, namespace),
  );
  await client.connection.close();
  const checks = [
    passed('Temporal', `${address}${version === '' ? '' : `, version ${version}`}`),
    passed('namespace', namespace),
    checkRetention(retentionMs, where),
    attributes,
    check,
  ];
  return { checks, workers };
}

function alone(...checks: readonly Check[]): Looked {
  return { checks, workers: [] };
}

/** The reconciler compares the desk with Temporal: what ended must be there until it has looked. */
const SHORTEST_RETENTION_MS = 86_400_000;

/** @param retentionMs 0: Temporal does not tell. @param where options of Temporal's own command. */
export function checkRetention(retentionMs: number, where: string): Check {
  const detail = `runs that ended stay in Temporal for ${retentionMs === 0 ? 'a time that it does not tell' : formatDuration(retentionMs)}`;
  return retentionMs === 0 || retentionMs >= SHORTEST_RETENTION_MS
    ? passed('retention', detail)
    : failed('retention', detail, `temporal operator namespace update ${where} --retention 72h`);
}

type Attributes = Parameters<typeof missingSearchAttributes>[0];

async function checkAttributes({
  target,
  connection,
  fix,
}: {
  target: TemporalTarget;
  connection: Attributes['connection'];
  fix: boolean;
}): Promise<Check> {
  const where = { connection, namespace: target.namespace };
  const name = 'search attributes';
  try {
    const missing = await missingSearchAttributes(where);
    if (missing.length === 0) return passed(name, 'all registered');
    const commands = registrationCommands({
      address: target.connection.address,
      namespace: target.namespace,
      missing,
    }).join('\n        ');
    if (!fix)
      return failed(name, `missing: ${missing.join(', ')}`, `attache doctor --fix, or by hand:\n        ${commands}`);
    try {
      await ensureSearchAttributes(where);
      return passed(name, `registered now: ${missing.join(', ')}`);
    } catch (error) {
      return failed(
        name,
        `could not register ${missing.join(', ')}: ${wordsOf(error)}`,
        `somebody who may types:\n        ${commands}`,
      );
    }
  } catch (error) {
    return failed(name, wordsOf(error), 'may these credentials read the namespace?');
  }
}

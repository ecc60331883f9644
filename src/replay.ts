/** `attache replay`: would this code decide what the recorded run decided? */
import { existsSync, readFileSync } from 'node:fs';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { isGrpcServiceError } from '@temporalio/client';
import { DefaultLogger, makeTelemetryFilterString, Runtime, Worker } from '@temporalio/worker';
import { CommandError, EXIT } from './cli/outcome.ts';
import { loadConfig } from './config.ts';
import { InvalidIdError } from './domain/errors.ts';
import { parseRunName, runWorkflowId } from './domain/ids.ts';
import { connectClient } from './temporal/connection.ts';
import { knownTarget } from './temporal/known-target.ts';
import { workflowCode } from './temporal/workflow-code.ts';

/** gRPC's. */
const NOT_FOUND = 5;

type History = ReturnType<typeof historyFromJSON>;

/** @param source a file that holds a history as Temporal exports it, or a run's name. @throws {CommandError} */
export async function replay(source: string): Promise<{ workflowId: string; events: number }> {
  const { workflowId, history } = existsSync(source) ? fromFile(source) : await fromTemporal(source);
  const logging = { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) };
  Runtime.install({ logger: new DefaultLogger('ERROR', () => undefined), telemetryOptions: { logging } });
  try {
    await Worker.runReplayHistory(await workflowCode(), history, workflowId);
  } catch (error) {
    const why =
      error instanceof Error && error.name === 'DeterminismViolationError'
        ? 'this code would decide otherwise'
        : 'it does not replay';
    throw new CommandError(EXIT.failed, `${workflowId}: ${why}: ${foundBy(error)}`, {
      remedy: 'Keep the old path for running workflows with patched(), then replay again.',
    });
  }
  return { workflowId, events: history.events?.length ?? 0 };
}

/** The sentence in the SDK's report of a replay that failed. */
function foundBy(error: unknown): string {
  const report = error instanceof Error ? error.message : String(error);
  return /message: "((?:[^"\\]|\\.)*)"/.exec(report)?.[1] ?? report.split('\n')[0] ?? report;
}

function fromFile(path: string): { workflowId: string; history: History } {
  try {
    const history = historyFromJSON(JSON.parse(readFileSync(path, 'utf8')));
    return { workflowId: history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId || path, history };
  } catch (error) {
    throw new CommandError(
      EXIT.usage,
      `source: ${path} holds no history: ${error instanceof Error ? error.message : ''}`,
      {
        remedy: 'Export one with temporal workflow show --output json.',
      },
    );
  }
}

async function fromTemporal(name: string): Promise<{ workflowId: string; history: History }> {
  const workflowId = workflowIdOf(name);
  const target = knownTarget(await loadConfig('replay'));
  if (target === undefined)
    throw new CommandError(EXIT.unreachable, 'no Temporal is known here', {
      remedy: 'Start attache dev in this folder, or set TEMPORAL_ADDRESS.',
    });
  const client = await connectClient(target).catch((error: unknown) => {
    throw new CommandError(EXIT.unreachable, error instanceof Error ? error.message : String(error));
  });
  try {
    return { workflowId, history: await client.workflow.getHandle(workflowId).fetchHistory() };
  } catch (error) {
    if (isGrpcServiceError(error) && (error.code as number) === NOT_FOUND)
      throw new CommandError(EXIT.notFound, `Temporal knows no run ${name}`);
    throw error;
  } finally {
    await client.connection.close();
  }
}

function workflowIdOf(name: string): string {
  try {
    return runWorkflowId(parseRunName(name));
  } catch (error) {
    if (error instanceof InvalidIdError)
      throw new CommandError(EXIT.usage, `source: "${name}" is neither a file nor a run's name: ${error.message}`);
    throw error;
  }
}

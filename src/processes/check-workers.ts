/** Which workers ask Temporal for our work, and is there one for each kind of it? */
import type { Client } from '@temporalio/client';
import type { Check } from '../domain/checks.ts';
import { TASK_QUEUE, THINKING_QUEUE } from '../temporal/task-queues.ts';
import { readWorkerIdentity } from '../temporal/worker-identity.ts';
import type { Told } from './check-versions.ts';
import { failed, passed, wordsOf } from './checks.ts';

/** What we ask of Temporal. The kinds of work are the wire's numbers (`temporal.api.enums.v1.TaskQueueType`). */
interface Queues {
  describeTaskQueue(asked: {
    readonly namespace: string;
    readonly taskQueue: { readonly name: string };
    readonly taskQueueType: number;
  }): Promise<{ readonly pollers: readonly Poller[] }>;
}
type Poller = Awaited<ReturnType<Client['workflowService']['describeTaskQueue']>>['pollers'][number];

const WORKFLOWS = 1;
const ACTIVITIES = 2;
const ASKED = [
  { queue: TASK_QUEUE, kind: WORKFLOWS },
  { queue: TASK_QUEUE, kind: ACTIVITIES },
  { queue: THINKING_QUEUE, kind: ACTIVITIES },
];

/** Who lives asks again after a minute without work, the length of Temporal's long poll. Temporal tells of five minutes. */
const LIVES_MS = 75_000;

/** @throws nothing: what keeps us from looking is a failed check. */
export async function checkWorkers(queues: Queues, namespace: string): Promise<{ check: Check; workers: Told[] }> {
  try {
    const asking: { readonly queue: string; readonly identities: readonly string[] }[] = [];
    for (const asked of ASKED) asking.push({ queue: asked.queue, identities: await askers(queues, namespace, asked) });
    const identities = [...new Set(asking.flatMap((one) => one.identities))].sort();
    const deserted = asking.find((one) => one.identities.length === 0)?.queue;
    return {
      check: checkQueues(identities.length, deserted),
      workers: identities.map((identity) => ({ part: 'worker', ...readWorkerIdentity(identity) })),
    };
  } catch (error) {
    return { check: failed('workers', wordsOf(error), 'may these credentials describe task queues?'), workers: [] };
  }
}

function checkQueues(workers: number, deserted: string | undefined): Check {
  const name = 'workers';
  if (workers === 0) return failed(name, 'none asks for work: no agent wakes', 'attache worker, or attache dev');
  if (deserted === undefined) return passed(name, workers === 1 ? '1 asks for work' : `${workers} ask for work`);
  const lost = deserted === THINKING_QUEUE ? 'agents with a model do not wake' : 'no agent wakes';
  return failed(name, `none asks for the queue ${deserted}: ${lost}`, `attache worker --queues ${deserted}`);
}

async function askers(
  queues: Queues,
  namespace: string,
  { queue, kind }: (typeof ASKED)[number],
): Promise<readonly string[]> {
  const taskQueue = { name: queue };
  const { pollers } = await queues.describeTaskQueue({ namespace, taskQueue, taskQueueType: kind });
  const since = Date.now() - LIVES_MS;
  return pollers.flatMap(({ identity, lastAccessTime }) =>
    Number(lastAccessTime?.seconds ?? 0) * 1_000 < since ? [] : (identity ?? []),
  );
}

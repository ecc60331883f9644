import assert from 'node:assert/strict';
import { Context } from '@temporalio/activity';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Worker } from '@temporalio/worker';
import { TASK_QUEUE } from '../../src/temporal/task-queues.ts';
import type { agentRun } from '../../src/workflows/agent-run.ts';
import type { AgentRunInput } from '../../src/workflows/agent-run-input.ts';
import type { RunActivities, TickInput } from '../../src/workflows/activity-types.ts';
import { AGENT_RUN, eventArrived } from '../../src/workflows/messages.ts';
import { runWorkflowId } from '../../src/domain/ids.ts';
import { anAgent, finish, inbound, iso, outcome, reschedule, RUN } from '../support/run-parts.ts';
import { testWorker, timeSkipping } from '../support/temporal.ts';

const HOUR = 3_600_000;
/** Ninety days. */
const TICKS = 90 * 24;

describe('a run that goes on for ninety days, every hour', () => {
  let environment: TestWorkflowEnvironment;
  let worker: Worker;
  let running: Promise<void>;
  const told: TickInput[] = [];
  const runIds: string[] = [];
  const now = () => Context.current().info.currentAttemptScheduledTimestampMs;
  /** No desk: what is tried is what the run itself carries. */
  const activities: RunActivities = {
    async prepare() {
      const plan = { nextRunAt: iso(now()), nextRunWhy: 'first run' };
      return {
        result: 'ready',
        agent: anAgent({ debounce: { quiet: '0s', max: '0s' } }),
        state: {},
        ...plan,
        events: [],
      };
    },
    async tick(input) {
      told.push(input);
      const { runId } = Context.current().info.workflowExecution ?? { runId: '' };
      if (!runIds.includes(runId)) runIds.push(runId);
      if (input.tick % 50 === 0)
        for (let repeat = 0; repeat < 2; repeat += 1)
          await environment.client.workflow
            .getHandle(runWorkflowId(RUN))
            .signal(eventArrived, inbound(input.tick, { type: 'contact.updated' }));
      const state = {
        n: Number(input.state['n'] ?? 0) + 1,
        events: Number(input.state['events'] ?? 0) + input.events.length,
      };
      return outcome(input.tick >= TICKS ? finish([], state) : reschedule(now() + HOUR, { state }));
    },
    perform: async () => ({ result: 'done' }),
    catchUp: async ({ afterSeq }) => ({ events: [], complete: true, readTo: afterSeq }),
    recordEnd: async () => undefined,
  };
  before(async function () {
    this.timeout(120_000);
    environment = await timeSkipping();
    worker = await testWorker(environment, { activities });
    running = worker.run();
  });
  after(async () => {
    worker.shutdown();
    await running;
    await environment.teardown();
  });

  it('rolls over several times, with the same counters on both sides and a small history', async () => {
    const input: AgentRunInput = {
      v: 1,
      ...RUN,
      attach: { agent: 'lead-qualification', config: {}, origin: 'attach', actor: 'test' },
    };
    const handle = await environment.client.workflow.start<typeof agentRun>(AGENT_RUN, {
      workflowId: runWorkflowId(RUN),
      taskQueue: TASK_QUEUE,
      args: [input],
    });
    const result = await handle.result();
    assert.deepEqual([result.status, result.ticks], ['COMPLETED', TICKS]);
    const consumed = told.flatMap(({ events }) => events.map(({ id }) => id));
    assert.deepEqual(result.state, { n: TICKS, events: consumed.length });
    assert.equal(new Set(consumed).size, consumed.length, 'an event was consumed twice');
    assert.deepEqual(
      told.map(({ tick }) => tick),
      Array.from({ length: TICKS }, (_, n) => n + 1),
    );
    assert.ok(runIds.length >= 5, `${runIds.length} runs`);
    for (const runId of runIds) {
      const { events } = await environment.client.workflow.getHandle(runWorkflowId(RUN), runId).fetchHistory();
      assert.ok((events?.length ?? 0) < 5_000);
    }
  }).timeout(240_000);
});

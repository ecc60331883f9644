/**
 * A run that lives long, with skipped time: what it carries over each of its roll-overs is read from Temporal and compared
 * with what its ticks answered before and were told after. No desk: what is tried is what the run itself remembers.
 */
import { isDeepStrictEqual } from 'node:util';
import { Context } from '@temporalio/activity';
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { runWorkflowId } from '../../src/domain/ids.ts';
import type { Run } from '../../src/domain/schemas/runs.ts';
import type { AgentRunInput } from '../../src/workflows/agent-run-input.ts';
import type { agentRun } from '../../src/workflows/agent-run.ts';
import { TICK_FAULT, type RunActivities, type TickInput } from '../../src/workflows/activity-types.ts';
import { AGENT_RUN, eventArrived } from '../../src/workflows/messages.ts';
import type { RunData } from '../../src/workflows/run-data.ts';
import { TASK_QUEUE } from '../../src/temporal/task-queues.ts';
import { anAgent, finish, inbound, iso, outcome, reschedule, RUN, say } from './run-parts.ts';
import { testWorker, timeSkipping } from './temporal.ts';

/** An event arrives, twice, and a message is sent each so many ticks. */
const EVENT_EACH = 50;
/** A tick fails each so many ticks, so that the counter of failures is often 1 where the run rolls over. */
const FAILURE_EACH = 3;

export interface LongLife {
  readonly result: Run;
  /** One execution of the run after the other. */
  readonly executions: readonly { readonly historyEvents: number; readonly ticks: number; readonly failures: number }[];
  readonly eventsConsumed: number;
  readonly messagesSent: number;
  /** What was wrong, in words; empty when everything was right. */
  readonly faults: readonly string[];
}

interface Diary {
  readonly told: TickInput[];
  /** When each tick answered that it wants to wake next; a failed one answers nothing. */
  readonly dueAt: (string | null)[];
  /** Ticks before the message that each performed effect sends. */
  readonly sentAfter: number[];
  readonly runIds: string[];
}

export async function liveLong(of: { readonly ticks: number; readonly intervalMs: number }): Promise<LongLife> {
  const environment = await timeSkipping();
  try {
    const handleOf = (runId?: string) => environment.client.workflow.getHandle(runWorkflowId(RUN), runId);
    const tell = async (n: number) => handleOf().signal(eventArrived, inbound(n, { type: 'contact.updated' }));
    const diary: Diary = { told: [], dueAt: [], sentAfter: [], runIds: [] };
    const worker = await testWorker(environment, { activities: activities(of, diary, tell) });
    const attach = { agent: 'lead-qualification', config: {}, origin: 'attach', actor: 'test' } as const;
    const input: AgentRunInput = { v: 1, ...RUN, attach };
    const result = await worker.runUntil(
      environment.client.workflow.execute<typeof agentRun>(AGENT_RUN, {
        workflowId: runWorkflowId(RUN),
        taskQueue: TASK_QUEUE,
        args: [input],
      }),
    );
    const lives = await Promise.all(
      diary.runIds.map(async (runId) => {
        const { events } = await handleOf(runId).fetchHistory();
        const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
        const { carried } = defaultPayloadConverter.fromPayload<AgentRunInput>(payload ?? {});
        return { historyEvents: events?.length ?? 0, carried };
      }),
    );
    const carried = lives.flatMap((life) => life.carried ?? []);
    return {
      result,
      executions: lives.map(({ historyEvents }, n) => ({
        historyEvents,
        ticks: (carried[n]?.ticks ?? result.ticks) - (carried[n - 1]?.ticks ?? 0),
        failures: carried[n - 1]?.failures ?? 0,
      })),
      eventsConsumed: consumed(diary.told).length,
      messagesSent: diary.sentAfter.length,
      faults: [...lifeFaults(of.ticks, result, diary), ...carried.flatMap((data) => boundaryFaults(data, diary))],
    };
  } finally {
    await environment.teardown();
  }
}

function activities(
  { ticks, intervalMs }: { readonly ticks: number; readonly intervalMs: number },
  { told, dueAt, sentAfter, runIds }: Diary,
  tell: (n: number) => Promise<void>,
): RunActivities {
  const now = () => Context.current().info.currentAttemptScheduledTimestampMs;
  const agent = anAgent({ debounce: { quiet: '0s', max: '0s' }, maxTicks: ticks + 1, maxMessages: 1_000 });
  return {
    async prepare() {
      return { result: 'ready', agent, state: {}, nextRunAt: iso(now()), nextRunWhy: 'first run', events: [] };
    },
    async tick(input) {
      told.push(input);
      const runId = Context.current().info.workflowExecution?.runId ?? '';
      const latest = Math.floor(input.tick / EVENT_EACH) * EVENT_EACH;
      // What the execution before has consumed comes again: the first and the latest.
      if (!runIds.includes(runId) && runIds.push(runId) > 1) for (const n of [EVENT_EACH, latest]) await tell(n);
      if (input.tick === latest) for (let repeat = 0; repeat < 2; repeat += 1) await tell(latest);
      if (input.tick % FAILURE_EACH === 0 && input.tick < ticks) {
        dueAt.push(null);
        throw ApplicationFailure.nonRetryable('each so many ticks', TICK_FAULT, {
          fault: 'planned',
          message: 'planned',
        });
      }
      const state = {
        n: Number(input.state['n'] ?? 0) + 1,
        heard: Number(input.state['heard'] ?? 0) + input.events.length,
      };
      const next = reschedule(now() + intervalMs, { state, effects: input.tick === latest ? [say()] : [] });
      dueAt.push(next.nextRunAt);
      return outcome(input.tick >= ticks ? finish([], state) : next);
    },
    async perform() {
      sentAfter.push(told.length);
      return { result: 'done' };
    },
    catchUp: async ({ afterSeq }) => ({ events: [], complete: true, readTo: afterSeq }),
    takeBack: async () => undefined,
    recordEnd: async () => undefined,
  };
}

function lifeFaults(ticks: number, { status, state, ticks: counted }: Run, { told }: Diary): string[] {
  const heard = consumed(told);
  const failed = Math.floor((ticks - 1) / FAILURE_EACH);
  return [
    ...differing('the end', [status, counted], ['COMPLETED', ticks]),
    ...differing('the state', state, { n: ticks - failed, heard: heard.length }),
    ...differing('events consumed once', new Set(heard).size, heard.length),
    ...differing(
      'the numbers of the ticks',
      told.map(({ tick }) => tick),
      Array.from({ length: ticks }, (_, n) => n + 1),
    ),
  ];
}

/** What crossed one boundary, beside the last tick before it and the first one after. */
function boundaryFaults(carried: RunData, { told, dueAt, sentAfter }: Diary): string[] {
  const { ticks } = carried;
  const after = told[ticks];
  if (after === undefined) return [`no tick follows the roll-over after tick ${ticks}`];
  const at = `roll-over after tick ${ticks}:`;
  const due = dueAt[ticks - 1] ?? carried.nextRunAt;
  // What a failed tick was told waits for the next one: known, and not consumed.
  const known = [...consumed(told.slice(0, ticks)), ...carried.queue.map(({ id }) => id)];
  return [
    ...differing(`${at} due`, [carried.nextRunAt, after.dueAt], [due, due]),
    ...differing(
      `${at} failures`,
      [carried.failures, after.failures],
      Array(2).fill(ticks % FAILURE_EACH === 0 ? 1 : 0),
    ),
    ...differing(`${at} state`, after.state, carried.state),
    ...differing(
      `${at} messages sent or to be sent`,
      carried.messagesSent + carried.effects.length,
      sentAfter.filter((n) => n <= ticks).length,
    ),
    ...differing(`${at} events known`, carried.seen, known),
  ];
}

/** Ids that ticks were told, those of failed ones told again left out. */
function consumed(told: readonly TickInput[]): string[] {
  return told.filter(({ tick }) => tick % FAILURE_EACH !== 0).flatMap(({ events }) => events.map(({ id }) => id));
}

function differing(what: string, found: unknown, wanted: unknown): string[] {
  if (isDeepStrictEqual(found, wanted)) return [];
  return [`${what}: ${JSON.stringify(found).slice(0, 200)} instead of ${JSON.stringify(wanted).slice(0, 200)}`];
}

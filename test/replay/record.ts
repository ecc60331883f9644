/**
 * Records the histories that `replay.test.ts` plays: `node --import tsx test/replay/record.ts [name…]`. Record a new one, under
 * a new name, whenever a workflow's commands change shape; never over an old one, which stands for runs that are asleep.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { WorkflowHandle } from '@temporalio/client';
import {
  effectKey,
  fanOutWorkflowId,
  runWorkflowId,
  type AttachmentId,
  type Subject,
  type WorkflowId,
} from '../../src/domain/ids.ts';
import { TASK_QUEUE } from '../../src/temporal/task-queues.ts';
import type { AgentRunInput } from '../../src/workflows/agent-run-input.ts';
import type { Prepared, RunActivities, TickResult } from '../../src/workflows/activity-types.ts';
import type { PreparedAgent } from '../../src/workflows/run-data.ts';
import { FAN_OUT, fanOutProgress, type FanOutInput, type Stepped } from '../../src/workflows/fan-out-types.ts';
import { CHANNEL_POLL } from '../../src/workflows/channel-poll-types.ts';
import { WEBHOOK_DELIVERY } from '../../src/workflows/webhook-delivery-types.ts';
import {
  AGENT_RUN,
  eventArrived,
  humanTookOver,
  pause as pauseRun,
  resume,
  undelivered,
  view,
  wakeNow,
} from '../../src/workflows/messages.ts';
import {
  anAgent,
  CLOSE,
  finish,
  HAND_OFF,
  inbound,
  iso,
  NOTE,
  outcome,
  reschedule,
  RUN,
  say,
} from '../support/run-parts.ts';
import { devServer, testWorker, timeSkipping } from '../support/temporal.ts';
import { HISTORIES } from './histories.ts';
import { activities, retrying, until } from './reached.ts';

const HOUR = 3_600_000;

interface Scene {
  /** What the tick with this number does. */
  tick(number: number): Promise<TickResult>;
  /** Done when the run is where its history is to be taken. */
  reach(handle: WorkflowHandle, environment: TestWorkflowEnvironment): Promise<void>;
  /** Other than those of all scenes. */
  readonly activities?: Partial<RunActivities>;
  /** On the server that skips time. */
  readonly skips?: true;
}

const inTwoDays = () => outcome(reschedule(Date.now() + 48 * HOUR, { effects: [say()] }));

const SCENES: Readonly<Record<string, Scene>> = {
  'asleep-after-a-burst': {
    tick: async () => inTwoDays(),
    async reach(handle) {
      await until(handle, 'asleep', 1);
      for (const n of [1, 2, 3]) await handle.signal(eventArrived, inbound(n));
      await until(handle, 'asleep', 2);
    },
  },
  'mid-tick': {
    tick: async () => Context.current().cancelled.then(inTwoDays),
    reach: (handle) => until(handle, 'thinking', 1),
  },
  'in-retry-back-off': {
    async tick() {
      throw ApplicationFailure.create({ message: 'no worker here knows the agent', nextRetryDelay: '1h' });
    },
    reach: (handle) => retrying(handle),
  },
  'rolled-over': {
    tick: async () => inTwoDays(),
    async reach(handle) {
      await until(handle, 'asleep', 1);
      const first = (await handle.describe()).runId;
      for (let n = 0; n < 2_000; n += 50)
        await Promise.all(
          Array.from({ length: 50 }, (_, m) =>
            handle.signal(eventArrived, inbound(n + m, { type: 'contact.updated' })),
          ),
        );
      while ((await handle.describe()).runId === first) await pause(50);
      await until(handle, 'asleep', 1);
    },
  },
  /** Three wake-ups a second apart, a draft that a message overtakes, and the answer after it. */
  'short-sleeps': {
    async tick(number) {
      if (number === 4) return Context.current().cancelled;
      return number < 4 ? outcome(reschedule(Date.now() + 1_000)) : inTwoDays();
    },
    async reach(handle) {
      await until(handle, 'thinking', 4);
      await handle.signal(eventArrived, inbound(1));
      await until(handle, 'asleep', 5);
    },
  },
  /** A message came into a tick, whose worker answered no more: the next one waited until Temporal gave it up. */
  'overtaken-one-at-a-time': {
    async tick(number) {
      return number === 1 ? Context.current().cancelled : inTwoDays();
    },
    async reach(handle) {
      await until(handle, 'thinking', 1);
      await handle.signal(eventArrived, inbound(1));
      await until(handle, 'asleep', 2);
    },
  },
  paused: {
    tick: async () => inTwoDays(),
    async reach(handle) {
      await until(handle, 'asleep', 1);
      await handle.executeUpdate(pauseRun, { args: [{ actor: 'ana' }] });
      await handle.signal(eventArrived, inbound(1));
      await until(handle, 'paused', 1);
    },
  },
  'ending-with-parked-effects': {
    tick: async () => outcome(finish([say('late'), say('later')])),
    reach: (handle) => until(handle, 'ending', 1),
  },
  /** A hand-off that went ahead of a message, and is held back itself. */
  'ending-past-a-parked-message': {
    tick: async () => outcome(finish([say('late'), HAND_OFF])),
    reach: (handle) => until(handle, 'ending', 1, 2),
  },
  /** As that, with more behind the hand-off, which waits for it. */
  'ending-in-turn': {
    tick: async () => outcome(finish([say('late'), HAND_OFF, say('after'), CLOSE])),
    reach: (handle) => until(handle, 'ending', 1, 2),
  },
  /** A customer wrote while what was left to say waited a moment. */
  'ending-finishes-its-words': {
    tick: async () => outcome(finish([say()])),
    activities: {
      perform: async () => ({ result: 'parked', reason: 'rate_limited', dueAt: iso(Date.now() + 60_000) }),
    },
    async reach(handle) {
      await until(handle, 'ending', 1);
      await handle.signal(eventArrived, inbound(1));
      while ((await handle.query(view)).queued === 0) await pause(20);
    },
  },
  /** A note that stood behind a hand-off of more than a day. */
  'ending-past-its-day': pastItsDay(),
  /** What did not arrive has gone out again. */
  'undelivered-goes-again': {
    skips: true,
    tick: async () => outcome(reschedule(Date.now() + 48 * HOUR, { effects: [say()] })),
    async reach(handle, environment) {
      await until(handle, 'asleep', 1);
      const { id, workflowId } = await handle.query(view);
      const of = { workflowId: workflowId as WorkflowId, attachment: id as AttachmentId };
      const told = { id: 'e1', seq: 1, attachment: of.attachment, reason: 'outage: 131000', unreachable: false };
      const again = { effect: say(), sentAt: iso(await environment.currentTimeMs()) };
      await handle.signal(undelivered, { ...told, key: effectKey({ ...of, tick: 1, n: 0 }), again });
      await environment.sleep('2m');
      await activities(handle, 'activityTaskScheduledEventAttributes', 4);
    },
  },
  /** Asleep for two days, and the desk told of what a customer has made unwanted. */
  'taken-back-is-told': {
    tick: async () => outcome(reschedule(Date.now() + 48 * HOUR, { effects: [say('late', { proactive: true })] })),
    activities: { prepare: async () => ready(anAgent({}, [])) },
    async reach(handle) {
      while ((await handle.query(view)).pendingEffects[0]?.state !== 'parked') await pause(20);
      await handle.signal(eventArrived, inbound(1));
      await activities(handle, 'activityTaskCompletedEventAttributes', 4);
    },
  },
  /** Paused and resumed over Temporal alone, of which the run has told the desk. */
  'asked-is-told': {
    tick: async () => inTwoDays(),
    async reach(handle) {
      await until(handle, 'asleep', 1);
      await handle.executeUpdate(pauseRun, { args: [{ actor: 'crm', untold: true }] });
      await handle.executeUpdate(wakeNow, { args: [{ actor: 'crm', untold: true }] });
      await handle.executeUpdate(resume, { args: [{ actor: 'crm', untold: true }] });
      await until(handle, 'asleep', 2);
    },
  },
  /** A takeover while its end was being recorded. */
  'taken-over-while-recorded': takenOverWhileRecorded(),
};

function pastItsDay(): Scene {
  let isTried = false;
  return {
    skips: true,
    tick: async () => outcome(finish([HAND_OFF, NOTE])),
    activities: {
      async perform({ effect }) {
        if (effect.kind === 'note.add') return Context.current().cancelled;
        if (isTried) return { result: 'done' };
        isTried = true;
        throw ApplicationFailure.create({ message: 'nobody is there', nextRetryDelay: '25h' });
      },
    },
    async reach(handle, environment) {
      await retrying(handle);
      await environment.sleep('25h');
      await activities(handle, 'activityTaskScheduledEventAttributes', 4);
    },
  };
}

function takenOverWhileRecorded(): Scene {
  let records = 0;
  let goOn: () => void = () => undefined;
  const isTaken = new Promise<void>((resolve) => (goOn = resolve));
  return {
    tick: async () => outcome(finish()),
    activities: {
      async recordEnd() {
        records += 1;
        return records === 1 ? isTaken : Context.current().cancelled;
      },
    },
    async reach(handle) {
      while (records < 1) await pause(20);
      const at = iso(Date.now());
      await handle.signal(humanTookOver, { cause: 'taken_over', at, actor: 'ana', explicit: true });
      goOn();
      while (records < 2) await pause(20);
    },
  };
}

function ready(agent: PreparedAgent): Prepared {
  const plan = { nextRunAt: iso(Date.now()), nextRunWhy: 'first run' };
  return { result: 'ready', agent, state: {}, ...plan, events: [] };
}

function activitiesOf(scene: Scene): RunActivities {
  return {
    prepare: async () => ready(anAgent()),
    tick: (input) => scene.tick(input.tick),
    perform: async ({ effect }) =>
      effect.kind === 'conversation.handOff' || (effect.kind === 'message.send' && effect.text === 'late')
        ? { result: 'parked', reason: 'quiet_hours', dueAt: iso(Date.now() + HOUR) }
        : { result: 'done' },
    catchUp: async ({ afterSeq }) => ({ events: [], complete: true, readTo: afterSeq }),
    takeBack: async () => undefined,
    recordEnd: async () => undefined,
    ...scene.activities,
  };
}

async function save(name: string, handle: WorkflowHandle): Promise<void> {
  // Our workers' names: they tell the machine, and replay does not need them.
  const history = historyToJSON(await handle.fetchHistory()).replaceAll(/"\d+@[^"]*"/g, '"recorder"');
  writeFileSync(`${HISTORIES}/${name}.json`, `${history}\n`);
  await handle.terminate('recorded');
}

function runScene(name: string, scene: Scene): Staged {
  const ref = { ...RUN, subject: `conversation/${name}` as Subject };
  const input: AgentRunInput = {
    v: 1,
    ...ref,
    attach: { agent: 'lead-qualification', config: {}, origin: 'attach', actor: 'recorder' },
  };
  const start = { type: AGENT_RUN, workflowId: runWorkflowId(ref), input };
  return {
    ...start,
    activities: activitiesOf(scene),
    reach: async (handle, environment) => scene.reach(handle, environment),
    skips: scene.skips === true,
  };
}

/** Any workflow of ours, brought to where its history is to be taken. */
interface Staged {
  readonly type: string;
  readonly workflowId: string;
  readonly input: object;
  readonly activities: Parameters<typeof testWorker>[1]['activities'];
  readonly reach: (handle: WorkflowHandle, environment: TestWorkflowEnvironment) => Promise<void>;
  readonly skips?: boolean;
}

/** In its pause, after steps that reached somebody. */
function fanOutScene(name: string): Staged {
  let steps = 0;
  const stepFanOut = async (): Promise<Stepped> => {
    steps += 1;
    const progress = { state: 'running' as const, total: 9, done: steps, skipped: 0, failed: 0 };
    return { progress, pauseMs: steps < 3 ? 0 : HOUR };
  };
  const input: FanOutInput = { v: 1, tenant: RUN.tenant, id: name };
  return {
    ...{ type: FAN_OUT, workflowId: fanOutWorkflowId(input), input, activities: { stepFanOut } },
    async reach(handle) {
      while ((await handle.query(fanOutProgress))?.done !== 3) await pause(20);
    },
  };
}

const OTHERS: Readonly<Record<string, Staged>> = {
  'webhook-between-attempts': {
    type: WEBHOOK_DELIVERY,
    workflowId: 'webhook/acme/webhook-between-attempts',
    input: { v: 1, tenant: RUN.tenant, delivery: 'webhook-between-attempts', round: 0 },
    activities: { attemptWebhook: async () => ({ result: 'again', inMs: HOUR }) },
    reach: async (handle) => activities(handle, 'timerStartedEventAttributes'),
  },
  'poll-under-way': {
    type: CHANNEL_POLL,
    workflowId: 'poll/acme/poll-under-way',
    input: { v: 1, tenant: RUN.tenant, channel: 'chatwoot:1' },
    activities: { pollChannel: async () => Context.current().cancelled },
    reach: async (handle) => activities(handle, 'activityTaskScheduledEventAttributes'),
  },
  'fan-out-where-nobody-answered': fanOutScene('fan-out-where-nobody-answered'),
};

async function record(
  name: string,
  { type, workflowId, input, activities: acting, reach, skips }: Staged,
): Promise<void> {
  const environment = await (skips === true ? timeSkipping() : devServer());
  const worker = await testWorker(environment, { activities: acting ?? {} });
  try {
    await worker.runUntil(async () => {
      const { client } = environment;
      await client.workflow.start(type, { workflowId, taskQueue: TASK_QUEUE, args: [input] });
      const latest = client.workflow.getHandle(workflowId);
      await reach(latest, environment);
      await save(name, latest);
    });
  } finally {
    await environment.teardown();
  }
}

mkdirSync(HISTORIES, { recursive: true });
const asked = process.argv.slice(2);
const staged = [
  ...Object.entries(SCENES).map(([name, scene]) => [name, runScene(name, scene)] as const),
  ...Object.entries(OTHERS),
];
for (const [name, scene] of staged) {
  if (asked.length > 0 ? !asked.includes(name) : existsSync(`${HISTORIES}/${name}.json`)) continue;
  process.stdout.write(`recording ${name}\n`);
  await record(name, scene);
}
process.exit(0);

/** Everything a run meets in a test: a real desk, a simulated channel, agents written on the spot, and time that skips. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { type WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { NativeConnection, type Worker } from '@temporalio/worker';
import { z } from 'zod';
import { prepare } from '../../src/activities/prepare.ts';
import { recordEnd } from '../../src/activities/records.ts';
import { tick } from '../../src/activities/tick.ts';
import type { ActivityDeps } from '../../src/activities/deps.ts';
import { defineAgent, type Agent, type AgentDefinition } from '../../src/agents/define-agent.ts';
import { createSimulatedChannel, type SimulatedChannel } from '../../src/channels/simulated/simulated-channel.ts';
import type { OutgoingMessage } from '../../src/channels/channel.ts';
import { concernsRuns, refOf, type EventRef } from '../../src/domain/event-refs.ts';
import { runWorkflowId, type AttachmentId, type ConversationId, type RunRef } from '../../src/domain/ids.ts';
import type { Run } from '../../src/domain/schemas/runs.ts';
import { startAttributes } from '../../src/temporal/search-attributes.ts';
import { TASK_QUEUE } from '../../src/temporal/task-queues.ts';
import type { agentRun } from '../../src/workflows/agent-run.ts';
import type { AgentRunInput } from '../../src/workflows/agent-run-input.ts';
import type { RunActivities } from '../../src/workflows/activity-types.ts';
import * as messages from '../../src/workflows/messages.ts';
import { openTestDesk, type TestDesk } from './desk.ts';
import { aConversation, accepted, ACME, ANSWERING, fact, text } from './facts.ts';
import { activityDeps } from './given.ts';
import { testWorker } from './temporal.ts';

const LooseConfig = z.strictObject({ greeting: z.string().default('hello') });
const LooseState = z.record(z.string(), z.json());
type Definition = AgentDefinition<typeof LooseConfig, typeof LooseState>;
export type TickOf = Parameters<Definition['tick']>[0];

export interface Attached extends RunRef {
  readonly conversation: ConversationId;
  readonly id: AttachmentId;
  readonly handle: WorkflowHandleWithFirstExecutionRunId<typeof agentRun>;
}

type MakeWorker = (of: { readonly connection: NativeConnection; readonly isForgetful: boolean }) => Promise<Worker>;
interface RunningWorker {
  readonly worker: Worker;
  readonly connection: NativeConnection;
  readonly done: Promise<void>;
}

export class RunRig {
  readonly environment: TestWorkflowEnvironment;
  readonly deps: ActivityDeps;
  readonly desk: TestDesk['desk'];
  readonly channel: SimulatedChannel;
  /** A test may look at a message, or fail, before it counts as sent. */
  onSend: (message: OutgoingMessage) => Promise<void> | void = () => undefined;
  /** Runs before the run itself is asked for a permit. */
  beforePermit: () => Promise<void> = async () => undefined;
  /** Runs at the beginning of each attempt of a tick, in its place. */
  beforeTick: () => Promise<void> = async () => undefined;
  /** Holds the record of an end. */
  beforeRecordEnd: () => Promise<void> = async () => undefined;
  /** Holds the next prepare. */
  beforePrepare: () => Promise<void> = async () => undefined;
  private readonly testDesk: TestDesk;
  private readonly agents = new Map<string, Agent>();
  private readonly makeWorker: MakeWorker;
  private readonly workers: RunningWorker[] = [];

  static async open(environment: TestWorkflowEnvironment): Promise<RunRig> {
    const testDesk = await openTestDesk();
    const hooks: { rig?: RunRig } = {};
    const channel = createSimulatedChannel({ onSend: (message) => hooks.rig?.onSend(message) });
    const agents = new Map<string, Agent>();
    const deps = activityDeps(testDesk.desk, {
      agents: { get: (key) => agents.get(key) },
      channels: { get: () => channel },
      askPermit: async (workflowId, request) => {
        await hooks.rig?.beforePermit();
        return environment.client.workflow.getHandle(workflowId).query(messages.sendPermit, request);
      },
      // The server's time, which skips; the wall clock stands still beside it.
      clock: () => Context.current().info.currentAttemptScheduledTimestampMs,
    });
    const prepareLate: RunActivities['prepare'] = async (input) => {
      await hooks.rig?.beforePrepare();
      return prepare(deps, input);
    };
    const tickLate: RunActivities['tick'] = async (input) => {
      await hooks.rig?.beforeTick();
      return tick(deps, input);
    };
    const recordEndLate: RunActivities['recordEnd'] = async (input) => {
      await hooks.rig?.beforeRecordEnd();
      return recordEnd(deps, input);
    };
    const activities = { prepare: prepareLate, tick: tickLate, recordEnd: recordEndLate };
    const makeWorker: MakeWorker = async (of) => testWorker(environment, { deps, activities, ...of });
    hooks.rig = new RunRig({ environment, deps, testDesk, channel, agents, makeWorker });
    await hooks.rig.startWorkers(1);
    return hooks.rig;
  }

  private constructor(of: {
    environment: TestWorkflowEnvironment;
    deps: ActivityDeps;
    testDesk: TestDesk;
    channel: SimulatedChannel;
    agents: Map<string, Agent>;
    makeWorker: MakeWorker;
  }) {
    this.environment = of.environment;
    this.deps = of.deps;
    this.testDesk = of.testDesk;
    this.desk = of.testDesk.desk;
    this.channel = of.channel;
    this.agents = of.agents;
    this.makeWorker = of.makeWorker;
  }

  /** Beside those that run. @param isForgetful where they are to be stopped before the run is over. */
  async startWorkers(count: number, isForgetful = false): Promise<void> {
    const { address } = this.environment;
    const starting = Array.from({ length: count }, async (): Promise<RunningWorker> => {
      const connection = await NativeConnection.connect({ address });
      const worker = await this.makeWorker({ connection, isForgetful });
      return { worker, connection, done: worker.run() };
    });
    this.workers.push(...(await Promise.all(starting)));
  }

  async stopWorkers(): Promise<void> {
    const stopping = this.workers.splice(0).map(async ({ worker, connection, done }) => {
      worker.shutdown();
      await done;
      await connection.close();
    });
    await Promise.all(stopping);
  }

  async close(): Promise<void> {
    await this.stopWorkers();
    await this.testDesk.close();
  }

  now(): Promise<number> {
    return this.environment.currentTimeMs();
  }

  /** An agent of the test's own; answers customers unless told otherwise. */
  agent(tick: Definition['tick'], more: Partial<Omit<Definition, 'tick'>> = {}): Agent {
    const agent = defineAgent({
      key: `agent-${this.agents.size + 1}`,
      version: 1,
      title: 'Scripted',
      answers: true,
      attachesTo: 'conversation',
      config: LooseConfig,
      state: LooseState,
      initialState: () => ({}),
      wakeOn: ['message.inbound'],
      ...more,
      tick,
    });
    this.agents.set(agent.key, agent);
    return agent;
  }

  /** Attached to a conversation of its own, with somebody to write to. */
  async attach(agent: Agent, attach: Partial<AgentRunInput['attach']> = {}): Promise<Attached> {
    const { id: conversation, subject } = aConversation();
    await this.desk.conversations.ensure({
      tenant: ACME,
      id: conversation,
      channel: 'simulated',
      contact: { address: `person-${conversation}` },
    });
    const ref = { tenant: ACME, subject, slot: ANSWERING };
    const nextRunAt = new Date(await this.now()).toISOString();
    const handle = await this.environment.client.workflow.start<typeof agentRun>(messages.AGENT_RUN, {
      workflowId: runWorkflowId(ref),
      taskQueue: TASK_QUEUE,
      args: [{ v: 1, ...ref, attach: { agent: agent.key, config: {}, origin: 'attach', actor: 'test', ...attach } }],
      typedSearchAttributes: startAttributes({ ...ref, agent: agent.key, nextRunAt }),
    });
    return { ...ref, conversation, id: handle.firstExecutionRunId as AttachmentId, handle };
  }

  /** Stored in the desk, then told to the run, as intake does. */
  async customerSays(run: Attached, words: string, id: string = randomUUID()): Promise<void> {
    const time = new Date(await this.now()).toISOString();
    const item = fact(run.subject, { type: 'message.inbound', id, time, data: text(words) }, 'simulated');
    const { event, optOut } = accepted(await this.desk.intake.store(item));
    if (concernsRuns(event)) await run.handle.signal(messages.eventArrived, refOf({ ...event, optOut }));
  }

  /** Events that wait for the next tick; stored, and not told. */
  async storeEvents(run: Attached, count: number): Promise<EventRef[]> {
    const time = new Date(await this.now()).toISOString();
    const refs: EventRef[] = [];
    for (let n = 0; n < count; n += 1)
      refs.push(refOf(accepted(await this.desk.intake.store(fact(run.subject, { type: 'custom.noted', time }))).event));
    return refs;
  }

  /** Accepted by the desk, then told to Temporal, as the API does. */
  async takeOver(run: Attached): Promise<void> {
    const { tenant, subject, slot, id } = run;
    const at = new Date(await this.now()).toISOString();
    const act = { tenant, subject, slot, attachment: id, act: 'takeover', actor: 'ana', comment: null, at } as const;
    await this.desk.acts.record(act);
    await run.handle.signal(messages.humanTookOver, { cause: 'taken_over', at, actor: 'ana', explicit: true });
  }

  async detach(run: Attached): Promise<void> {
    const at = new Date(await this.now()).toISOString();
    await run.handle.signal(messages.detached, { at, actor: 'ana' });
  }

  /**
   * The test is over: nothing of it stays behind. Only of a run that is due much later: the server that skips time is stuck for
   * ever when what a tick answers meets the cancel that a detach sends after it.
   */
  async end(run: Attached): Promise<void> {
    await this.detach(run);
    await run.handle.result();
  }

  view(run: Attached): Promise<Run> {
    return run.handle.query(messages.view);
  }

  /** Waits, in real time, for the run to show what is asked for. Time does not skip meanwhile. */
  async until(run: Attached, is: (view: Run) => boolean): Promise<Run> {
    for (;;) {
      const view = await this.view(run);
      if (is(view)) return view;
      await pause(10);
    }
  }

  /** Asleep with nothing left to do at once. */
  asleep(run: Attached, ticks: number): Promise<Run> {
    return this.until(
      run,
      (view) => view.ticks >= ticks && view.phase === 'asleep' && view.pendingEffects.length === 0,
    );
  }

  /** What reached this run's customer. */
  sentTo(run: Attached): string[] {
    return this.channel.accepted
      .filter(({ to }) => to.conversation === run.conversation)
      .map(({ content }) => (content.kind === 'text' ? content.text : content.template.name));
  }
}

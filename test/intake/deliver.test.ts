import assert from 'node:assert/strict';
import { WorkflowNotFoundError } from '@temporalio/client';
import { createIntake } from '../../src/intake/intake.ts';
import { createReconciler } from '../../src/intake/reconcile.ts';
import type { IntakeDeps } from '../../src/intake/deps.ts';
import { leadQualification } from '../../src/agents/lead-qualification/lead-qualification.ts';
import { createRegistry } from '../../src/agents/registry.ts';
import { handedOff } from '../../src/domain/hand-offs.ts';
import { parseSlot } from '../../src/domain/ids.ts';
import { resolvePolicy } from '../../src/domain/schemas/policy.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { ACME, aClaim, aConversation, aRun, at, fact, LEAD, text } from '../support/facts.ts';
import { intakeDeps, temporalOf } from '../support/given.ts';
import { until } from '../support/until.ts';

/** gRPC's codes. */
const [INVALID_ARGUMENT, UNAVAILABLE] = [3, 14];

describe('an event that cannot be delivered', () => {
  let opened: TestDesk;
  before(async () => {
    opened = await openTestDesk();
  });
  after(() => opened.close());

  /** Signals fail with this code until it is null. */
  function failing() {
    const temporal = { code: null as number | null, signals: 0, to: [] as string[], told: null as unknown };
    const signal = (workflowId: string) => async (_: unknown, told: unknown) => {
      if (temporal.code !== null)
        throw Object.assign(new Error('refused'), { code: temporal.code, details: '', metadata: {} });
      temporal.signals += 1;
      temporal.to.push(workflowId);
      temporal.told = told;
      return Promise.resolve();
    };
    const client = temporalOf({ getHandle: (id: string) => ({ signal: signal(id) }) });
    const deps = intakeDeps(opened.desk, { client, agents: createRegistry([leadQualification]) });
    return { temporal, deps, intake: createIntake(deps) };
  }

  async function stored(code: number) {
    const { subject } = aConversation();
    await opened.desk.runs.insertIfAbsent(aRun(subject));
    const parts = failing();
    parts.temporal.code = code;
    const item = fact(subject, { type: 'message.inbound', data: text('Hi') });
    await parts.intake.accept([item]);
    await parts.intake.idle();
    const event = async () => opened.desk.events.get(ACME, item.event.id);
    const again = async () => {
      const found = (await opened.desk.events.undelivered({ olderThanMs: 0, limit: 200 })).filter(
        (waiting) => waiting.id === item.event.id,
      );
      for (const one of found) await parts.intake.redeliver(one);
    };
    return { ...parts, event, again };
  }

  it('waits for Temporal however long that is away, and is delivered then', async () => {
    const { temporal, event, again } = await stored(UNAVAILABLE);
    for (let round = 0; round < 30; round += 1) await again();
    assert.equal((await event())?.status, 'stored');
    temporal.code = null;
    await again();
    assert.deepEqual([(await event())?.status, temporal.signals], ['delivered', 1]);
  });

  it('becomes a dead letter when Temporal will not have it, and keeps nothing else waiting', async () => {
    const { event, again } = await stored(INVALID_ARGUMENT);
    for (let round = 0; round < 9; round += 1) await again();
    assert.equal((await event())?.status, 'dead');
  });

  it('is told to a run that pauses for humans, whose row then says what the run itself says', async () => {
    const { subject } = aConversation();
    const run = aRun(subject, { policy: resolvePolicy({ onHumanMessage: 'pause' }) });
    await opened.desk.runs.insertIfAbsent(run);
    const { deps } = failing();
    const shown = { id: run.id, phase: 'paused' };
    const handle = { signal: async () => undefined, query: async () => shown };
    const client = temporalOf({ getHandle: () => handle });
    const intake = createIntake({ ...deps, client });
    await intake.accept([fact(subject, { type: 'message.outbound', data: text('Let me') })]);
    await intake.idle();
    const ref = { tenant: ACME, subject, slot: run.slot };
    assert.equal((await opened.desk.runs.get(ref))?.phase, 'paused');
  });

  it('is told with what whoever took over gave as the reason, whichever run it reaches', async () => {
    const { subject } = aConversation();
    await opened.desk.runs.insertIfAbsent(aRun(subject));
    const { intake, temporal } = failing();
    const takeover = fact(subject, { type: 'takeover', data: { by: 'ana', reason: 'mine' } });
    await intake.accept([takeover]);
    await intake.idle();
    const { time: at } = takeover.event;
    assert.deepEqual(temporal.told, { cause: 'taken_over', actor: 'ana', comment: 'mine', at });
  });

  it('of an agent’s own hand-off is told to the others on the conversation, and not to the one that handed off', async () => {
    const { subject } = aConversation();
    const [mine, other] = [aRun(subject), aRun(subject, { slot: parseSlot('following-up') })];
    for (const run of [mine, other]) await opened.desk.runs.insertIfAbsent(run);
    const { key } = aClaim(mine, { kind: 'conversation.handOff', note: 'Wants a person' });
    const event = handedOff({ key, subject, agent: LEAD, at: at('10:00:00') });
    const { temporal, intake } = failing();
    await intake.accept([{ tenant: ACME, channel: null, event }]);
    await intake.idle();
    assert.deepEqual(temporal.to, [other.workflowId]);
    // Anybody may say that they are that source.
    await intake.accept([fact(subject, { type: 'takeover', source: 'hand-off', id: 'no key' })]);
    await intake.idle();
    assert.deepEqual(temporal.to.sort(), [mine, other, other].map(({ workflowId }) => workflowId).sort());
  });

  it('keeps nobody waiting: what is accepted is answered though Temporal takes the signal and never answers (S1)', async () => {
    const { subject } = aConversation();
    await opened.desk.runs.insertIfAbsent(aRun(subject));
    const { deps } = failing();
    let asked = 0;
    const signal = () => {
      asked += 1;
      return new Promise<never>(() => undefined);
    };
    const client = temporalOf({ getHandle: () => ({ signal }) });
    const item = fact(subject, { type: 'message.inbound', data: text('Hi') });
    assert.deepEqual(await createIntake({ ...deps, client }).accept([item]), [{ result: 'accepted' }]);
    assert.equal((await opened.desk.events.get(ACME, item.event.id))?.status, 'stored');
    await until('the signal to be tried', () => asked > 0);
  });
});

describe('a round of the reconciler', () => {
  let opened: TestDesk;
  before(async () => {
    opened = await openTestDesk();
  });
  after(() => opened.close());

  it('tells the other runs of their takeovers, and finds the lost, when one cannot be told', async () => {
    const { desk } = opened;
    const [deaf, other] = [aRun(aConversation().subject), aRun(aConversation().subject)];
    for (const run of [deaf, other]) {
      await desk.runs.insertIfAbsent(run);
      const { tenant, subject, slot, id } = run;
      await desk.acts.record({
        ...{ tenant, subject, slot, attachment: id, act: 'takeover', actor: 'ana', comment: null },
        at: new Date().toISOString(),
      });
    }
    const told: string[] = [];
    const signal = (workflowId: string) => async () => {
      if (workflowId === deaf.workflowId) throw new Error('too many signals');
      told.push(workflowId);
      return Promise.resolve();
    };
    const describe = (workflowId: string) => async () => {
      const id = workflowId === deaf.workflowId ? deaf.id : other.id;
      const name = workflowId === deaf.workflowId ? 'RUNNING' : 'TERMINATED';
      return Promise.resolve({ status: { name }, raw: { workflowExecutionInfo: { firstRunId: id } } });
    };
    const client = temporalOf({ getHandle: (id: string) => ({ signal: signal(id), describe: describe(id) }) });
    const deps = intakeDeps(desk, { client });
    const { lost } = await createReconciler(deps, createIntake(deps)).round();
    assert.deepEqual([told, lost], [[other.workflowId], 1]);
    assert.equal((await desk.runs.get(other))?.reason, 'lost');
  });

  it('asks the execution that completed how its run ended: the first of the chain may be forgotten', async () => {
    const { desk } = opened;
    const run = aRun(aConversation().subject);
    await desk.runs.insertIfAbsent(run);
    const end = { status: 'COMPLETED', reason: 'goal_reached', endedAt: new Date().toISOString() } as const;
    const described = { status: { name: 'COMPLETED' }, raw: { workflowExecutionInfo: { firstRunId: run.id } } };
    const handle = (id: string, runId?: string) => ({
      describe: async () => Promise.resolve({ ...described, runId: 'last' }),
      result: async () => {
        if (runId !== 'last') throw new WorkflowNotFoundError('forgotten', id, runId);
        return Promise.resolve({ ...run, ...end });
      },
      signal: async () => Promise.resolve(),
    });
    const client = temporalOf({ getHandle: handle });
    const only = { ...desk, runs: { ...desk.runs, liveUnchecked: async () => Promise.resolve([run]) } };
    const deps = intakeDeps(only, { client });
    await createReconciler(deps, createIntake(deps)).round();
    assert.equal((await desk.runs.get(run))?.reason, 'goal_reached');
  });

  it('tells a run of a takeover until Temporal has it, and then no more, however long the run takes to end', async () => {
    const { desk } = opened;
    const run = aRun(aConversation().subject);
    await desk.runs.insertIfAbsent(run);
    const { tenant, subject, slot, id: attachment, workflowId } = run;
    const act = { tenant, subject, slot, attachment, act: 'detach', actor: 'ana', comment: null } as const;
    await desk.acts.record({ ...act, at: new Date().toISOString() });
    const deaf = async () => Promise.reject(new Error('of another test'));
    let [isAway, told] = [true, 0];
    const signal = async () => {
      if (isAway) throw new Error('no answer');
      told += 1;
      return Promise.resolve();
    };
    const describe = async () =>
      Promise.resolve({ status: { name: 'RUNNING' }, raw: { workflowExecutionInfo: { firstRunId: attachment } } });
    const client = temporalOf({ getHandle: (id: string) => ({ signal: id === workflowId ? signal : deaf, describe }) });
    const deps = intakeDeps(desk, { client });
    const reconciler = createReconciler(deps, createIntake(deps));
    const acts = async () => (await reconciler.round()).acts;
    assert.equal(await acts(), 0);
    isAway = false;
    assert.deepEqual([await acts(), await acts(), told], [1, 0, 1]);
  });

  it('tells a run of a detach while events of another subject take their time', async () => {
    const { desk } = opened;
    const run = aRun(aConversation().subject);
    await desk.runs.insertIfAbsent(run);
    const { tenant, subject, slot, id: attachment, workflowId } = run;
    const act = { tenant, subject, slot, attachment, act: 'detach', actor: 'ana', comment: null } as const;
    const stop = new AbortController();
    const stopped = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
    const told: string[] = [];
    const client = temporalOf({ getHandle: (id: string) => ({ signal: async () => void told.push(id) }) });
    const slow: IntakeDeps['desk'] = {
      ...desk,
      events: { ...desk.events, undelivered: async () => stopped.then(() => []) },
      runs: { ...desk.runs, liveUnchecked: async () => Promise.resolve([]) },
    };
    const deps = intakeDeps(slow, { client });
    await desk.acts.record({ ...act, at: new Date().toISOString() });
    const running = createReconciler(deps, createIntake(deps)).run(stop.signal);
    await until('the run to be told', () => told.includes(workflowId));
    stop.abort();
    await running;
  });
});

import assert from 'node:assert/strict';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { reschedule } from '../../src/agents/outcomes.ts';
import { ProviderOutageError } from '../../src/domain/errors.ts';
import { wakeNow } from '../../src/workflows/messages.ts';
import { RunRig, type Attached } from '../support/run-rig.ts';
import { devServer } from '../support/temporal.ts';

describe('an attached agent, failing', () => {
  let environment: TestWorkflowEnvironment;
  let rig: RunRig;
  before(async () => {
    environment = await devServer();
    rig = await RunRig.open(environment);
  });
  after(async () => {
    await rig.close();
    await environment.teardown();
  });
  afterEach(() => void (rig.beforeTick = async () => undefined));

  async function wake(run: Attached): Promise<void> {
    await run.handle.executeUpdate(wakeNow, { args: [{ actor: 'ana' }] });
  }

  it('is removed by the system after three failed wake-ups in a row, and says what failed', async () => {
    const agent = rig.agent(() => {
      throw new RangeError('no such thing');
    });
    const run = await rig.attach(agent);
    for (const failures of [1, 2]) {
      const view = await rig.until(run, (shown) => shown.failures === failures && shown.phase === 'asleep');
      assert.match(view.nextRunWhy ?? '', /failed .* of 3: RangeError: no such thing/);
      await wake(run);
    }
    const { status, reason, comment, ticks } = await run.handle.result();
    assert.deepEqual([status, reason, ticks], ['REMOVED_BY_SYSTEM', 'consecutive_failures', 3]);
    assert.match(comment ?? '', /^RangeError: no such thing \(workflows\/agent-run\.failures\.test\.ts:\d+\)$/);
    const faults = (await rig.desk.runs.timeline(run.id)).items.filter((entry) => entry.entry === 'tick');
    assert.deepEqual(
      faults.map(({ outcome }) => outcome.kind),
      ['failed', 'failed', 'failed'],
    );
  });

  it('starts counting anew after a success', async () => {
    const agent = rig.agent(({ tick }) => {
      if (tick % 3 !== 0) throw new Error('boom');
      return reschedule({ in: '1h', state: {} });
    });
    const run = await rig.attach(agent);
    for (let tick = 1; tick < 6; tick += 1) {
      await rig.asleep(run, tick);
      await wake(run);
    }
    const { status, failures } = await rig.asleep(run, 6);
    assert.deepEqual([status, failures], ['IN_PROGRESS', 0]);
    await rig.end(run);
  });

  it('outlives a provider’s blip within the wake-up, and tells the next attempt how the last one ended', async () => {
    const traces: unknown[] = [];
    rig.beforeTick = async () => void traces.push(Context.current().info.heartbeatDetails);
    let attempts = 0;
    const agent = rig.agent(() => {
      attempts += 1;
      if (attempts < 3) throw new ProviderOutageError({ provider: 'llm', message: '503' });
      return reschedule({ in: '1h', state: {} });
    });
    const run = await rig.attach(agent);
    const { failures, ticks } = await rig.asleep(run, 1);
    assert.deepEqual([attempts, ticks, failures], [3, 1, 0]);
    assert.deepEqual(traces, [
      undefined,
      { attempt: 1, crashes: 0, reported: true },
      { attempt: 2, crashes: 0, reported: true },
    ]);
    await rig.end(run);
  });

  it('ends as crash_loop after five attempts in a row that left no word', async () => {
    let attempts = 0;
    rig.beforeTick = async () => {
      attempts += 1;
      // What the server knows of a worker that died early: an attempt is over, and nothing was ever heard of it.
      if (attempts <= 5) throw ApplicationFailure.create({ message: 'gone', nextRetryDelay: 1 });
    };
    const run = await rig.attach(rig.agent(() => reschedule({ in: '1h', state: {} })));
    const { status, reason, ticks, failures } = await run.handle.result();
    assert.deepEqual([status, reason, attempts], ['REMOVED_BY_SYSTEM', 'crash_loop', 6]);
    assert.deepEqual([ticks, failures], [1, 0]);
  });

  it('is postponed, uncounted, when the provider asks for more time than a wake-up has', async () => {
    const agent = rig.agent(() => {
      throw new ProviderOutageError({ provider: 'llm', message: '429', retryAfterMs: 3_600_000 });
    });
    const run = await rig.attach(agent);
    const view = await rig.until(run, ({ nextRunWhy }) => nextRunWhy?.startsWith('postponed') === true);
    assert.deepEqual([view.failures, view.status], [0, 'IN_PROGRESS']);
    await rig.end(run);
  });

  it('ends as invalid_config, naming the field, when it was attached with what it refuses', async () => {
    const run = await rig.attach(
      rig.agent(() => reschedule({ in: '1h', state: {} })),
      { config: { greeting: 7 } },
    );
    const { status, reason, comment } = await run.handle.result();
    assert.deepEqual([status, reason], ['REMOVED_BY_SYSTEM', 'invalid_config']);
    assert.match(comment ?? '', /^config\.greeting: /);
    const bad = await rig.attach(
      rig.agent(() => reschedule({ in: '1h', state: {} })),
      { firstRunAt: 'soon' },
    );
    assert.match((await bad.handle.result()).comment ?? '', /^firstRunAt: must be/);
  });

  it('ends before a message or a tick too many', async () => {
    const talker = rig.agent(
      ({ tick }) => reschedule({ in: '1s', state: {}, effects: [{ kind: 'message.send', text: `${tick}` }] }),
      { policy: { maxMessages: 1 } },
    );
    const talking = await rig.attach(talker);
    assert.equal((await talking.handle.result()).reason, 'message_cap');
    assert.deepEqual(rig.sentTo(talking), ['1']);
    const busy = await rig.attach(rig.agent(() => reschedule({ in: '1s', state: {} }), { policy: { maxTicks: 1 } }));
    assert.equal((await busy.handle.result()).reason, 'tick_cap');
  });

  it('is switched off by one write to the desk', async () => {
    const agent = rig.agent(() => reschedule({ in: '1h', state: {} }));
    const run = await rig.attach(agent);
    await rig.asleep(run, 1);
    const at = new Date().toISOString();
    await rig.desk.switches.turnOff({
      tenant: run.tenant,
      scope: 'agent',
      key: agent.key,
      by: 'ana',
      reason: 'stop',
      at,
    });
    await wake(run);
    const { status, reason, actor } = await run.handle.result();
    assert.deepEqual([status, reason, actor], ['REMOVED_BY_USER', 'switched_off', 'ana']);
  });
});

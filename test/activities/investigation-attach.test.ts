import assert from 'node:assert/strict';
import { MockActivityEnvironment } from '@temporalio/testing';
import { performAction, undoAction } from '../../src/activities/investigations/act.ts';
import type { AttachedRun, InvestigationDeps } from '../../src/activities/investigations/deps.ts';
import { notify } from '../../src/agents/notify/notify.ts';
import type { AgentKey, InvestigationId, WorkflowId } from '../../src/domain/ids.ts';
import { Action } from '../../src/domain/schemas/investigations.ts';
import { ErpError } from '../../src/erp/erp-error.ts';
import type { Acted, ActInput, SwitchedOff, Undone, UndoInput } from '../../src/workflows/investigation-types.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { ACME, aConversation, aRun } from '../support/facts.ts';

type Performed = Acted | SwitchedOff;
type Undoing = Undone | SwitchedOff;

/** What Temporal has of a run, and when the desk heard of it; null: it has not yet. */
interface Attached {
  readonly by: string;
  readonly at: number | null;
  readonly pausedBy?: string;
}

describe('an agent.attach', () => {
  let opened: TestDesk;
  before(async () => {
    opened = await openTestDesk();
  });
  after(() => opened.close());

  /** One investigation that attaches an agent, and the world that `attached` makes. */
  async function scene(investigation: string, attached: Attached | null = null) {
    const { desk } = opened;
    const { subject } = aConversation();
    const of = {
      ...{ id: investigation as InvestigationId, workflowId: 'w' as WorkflowId },
      ...{ tenant: ACME, agent: 'restock' as AgentKey },
    };
    const talk = { kind: 'agent.attach', step: 'talk', title: 'Talk', risk: 'low', agent: 'notify', subject };
    const run = aRun(subject, { agent: notify.key, slot: notify.slot });
    if (attached?.at != null) {
      const attachedAt = new Date(attached.at).toISOString();
      await desk.runs.insertIfAbsent({ ...run, actor: attached.by, attachedAt });
      const paused = { attachment: run.id, phase: 'paused' } as const;
      if (attached.pausedBy !== undefined) await desk.runs.recordPhase({ ...paused, actor: attached.pausedBy });
    }
    const attaches: string[] = [];
    const detached: string[] = [];
    const stock = { version: '1', isAway: false };
    const clock = { now: Date.now() };
    const get = async () => {
      if (stock.isAway) throw new ErpError({ failure: 'outage', code: '503', message: 'away' });
      return Promise.resolve({ version: stock.version });
    };
    const { investigations } = desk;
    /** While the desk's answer is on its way. */
    const onItsWay = { stoppedForMs: 0 };
    const tryAction: typeof investigations.tryAction = async (action) => {
      const answer = await investigations.tryAction(action);
      clock.now += onItsWay.stoppedForMs;
      return answer;
    };
    const deps = {
      desk: { ...desk, investigations: { ...investigations, tryAction } },
      agents: { get: () => notify },
      clock: () => clock.now,
      erps: { of: () => ({ get }) },
      runs: {
        attach: async ({ actor }: { actor: string }) => {
          attaches.push(actor);
          return Promise.resolve({ id: run.id, isNew: attached === null });
        },
        detach: async ({ id }: AttachedRun) => Promise.resolve(void detached.push(id)),
        attacherOf: async ({ id }: AttachedRun) => Promise.resolve(id === run.id ? (attached?.by ?? null) : null),
      },
    } as unknown as InvestigationDeps;
    const activities = new MockActivityEnvironment();
    const action = Action.parse(talk);
    return {
      ...{ stock, onItsWay, attaches, detached },
      begun: async () => desk.investigations.tryAction({ key: `${of.id}:talk`, tenant: ACME, investigation: of.id }),
      perform: async (precondition: ActInput['precondition'] = []) =>
        activities.run<[], Performed, () => Promise<Performed>>(async () =>
          performAction(deps, { of, action, precondition }),
        ),
      undo: async (reference: UndoInput['reference'] = null) =>
        activities.run<[], Undoing, () => Promise<Undoing>>(async () => undoAction(deps, { of, action, reference })),
    };
  }

  /** What is undone when no answer came, and whether the run is detached for it. */
  async function undone(investigation: string, attached: Attached | null) {
    const { begun, undo, detached } = await scene(investigation, attached);
    await begun();
    const { result } = await undo();
    return { result, isDetached: detached.length === 1 };
  }

  describe('that was given up without an answer', () => {
    it('is looked for, and taken away where it was done', async () => {
      const done = { result: 'undone', isDetached: true };
      assert.deepEqual(await undone('i1', { by: 'investigation/i1', at: Date.now() }), done);
      assert.deepEqual(await undone('i5', { by: 'investigation/i5', at: Date.now(), pausedBy: 'ana' }), done);
    });

    it('was not done where there is no run, or an older one, or somebody else’s', async () => {
      const nothing = { result: 'nothing_done', isDetached: false };
      assert.deepEqual(await undone('i2', null), nothing);
      assert.deepEqual(await undone('i3', { by: 'investigation/i3', at: Date.now() - 86_400_000 }), nothing);
      assert.deepEqual(await undone('i4', { by: 'ana', at: Date.now() }), nothing);
    });
  });

  describe('whose answer was lost', () => {
    /** Tried again, and then taken away: whose is it? */
    async function again(investigation: string, attached: Attached) {
      const { begun, perform, undo } = await scene(investigation, attached);
      await begun();
      const acted = await perform();
      assert.ok(acted.result === 'done');
      return { ...acted, undo: (await undo(acted.reference)).result };
    }

    it('stays its investigation’s, though somebody has paused the run, or the desk has not heard of it', async () => {
      const paused = await again('j1', { by: 'investigation/j1', at: Date.now(), pausedBy: 'ana' });
      assert.deepEqual([paused.detail, paused.undo], [null, 'undone']);
      const unheard = await again('j2', { by: 'investigation/j2', at: null });
      assert.deepEqual([unheard.detail, unheard.undo], [null, 'undone']);
    });

    it('is not made its investigation’s by finding somebody else’s run there', async () => {
      for (const at of [Date.now(), null]) {
        const { detail, undo } = await again(`j3-${at}`, { by: 'ana', at });
        assert.deepEqual([detail, undo], ['was attached already', 'nothing_done']);
      }
    });
  });

  it('attaches nobody by what was seen before its worker was stopped: a run of another attempt may have ended since', async () => {
    const { onItsWay, perform, attaches } = await scene('m1');
    onItsWay.stoppedForMs = 30_000;
    await assert.rejects(perform(), /looked too long ago/);
    assert.deepEqual(attaches, []);
    assert.equal((await perform()).result, 'done', 'the next attempt looks anew');
  });

  it('is compared with what it rests on by each attempt until one has begun', async () => {
    const { stock, perform, attaches } = await scene('k1');
    const asDecided = [{ kind: 'stock', id: 'P-1', version: '1' }] as const;
    stock.isAway = true;
    await assert.rejects(perform(asDecided), /away/);
    Object.assign(stock, { isAway: false, version: '2' });
    assert.deepEqual([await perform(asDecided), attaches], [{ result: 'stale' }, []]);
    stock.version = '1';
    assert.equal((await perform(asDecided)).result, 'done');
    assert.deepEqual(attaches, ['investigation/k1']);
  });
});

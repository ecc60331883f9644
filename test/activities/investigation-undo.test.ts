import assert from 'node:assert/strict';
import { MockActivityEnvironment } from '@temporalio/testing';
import { undoAction } from '../../src/activities/investigations/act.ts';
import type { InvestigationDeps } from '../../src/activities/investigations/deps.ts';
import { notify } from '../../src/agents/notify/notify.ts';
import type { AgentKey, InvestigationId, WorkflowId } from '../../src/domain/ids.ts';
import { Action } from '../../src/domain/schemas/investigations.ts';
import type { SwitchedOff, Undone } from '../../src/workflows/investigation-types.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { ACME, aConversation, aRun } from '../support/facts.ts';

describe('an agent.attach that was given up without an answer', () => {
  let opened: TestDesk;
  before(async () => {
    opened = await openTestDesk();
  });
  after(() => opened.close());

  /** What is undone, and which runs are detached for it. */
  async function undone(investigation: string, attached: { by: string; at: number } | null) {
    const { desk } = opened;
    const { subject } = aConversation();
    const of = { id: investigation as InvestigationId, workflowId: 'w' as WorkflowId, tenant: ACME };
    const action = Action.parse({
      ...{ kind: 'agent.attach', step: 'talk', title: 'Talk', risk: 'low', agent: 'notify', subject },
    });
    await desk.investigations.tryAction({ key: `${of.id}:talk`, tenant: ACME, investigation: of.id });
    const run = aRun(subject, { agent: notify.key, slot: notify.slot });
    if (attached !== null)
      await desk.runs.insertIfAbsent({
        ...{ ...run, actor: attached.by, attachedAt: new Date(attached.at).toISOString() },
      });
    const detached: string[] = [];
    const deps = {
      desk,
      agents: { get: () => notify },
      runs: { detach: async ({ id }: { id: string }) => Promise.resolve(void detached.push(id)) },
    } as unknown as InvestigationDeps;
    const { result } = await new MockActivityEnvironment().run<
      Parameters<typeof undoAction>,
      Undone | SwitchedOff,
      typeof undoAction
    >(undoAction, deps, {
      ...{ of: { ...of, agent: 'restock' as AgentKey }, action, reference: null },
    });
    return { result, isDetached: detached.includes(run.id) };
  }

  it('is looked for, and taken away where it was done', async () => {
    const attached = { by: 'investigation/i1', at: Date.now() };
    assert.deepEqual(await undone('i1', attached), { result: 'undone', isDetached: true });
  });

  it('was not done where there is no run, or an older one, or somebody else’s', async () => {
    const nothing = { result: 'nothing_done', isDetached: false };
    assert.deepEqual(await undone('i2', null), nothing);
    assert.deepEqual(await undone('i3', { by: 'investigation/i3', at: Date.now() - 86_400_000 }), nothing);
    assert.deepEqual(await undone('i4', { by: 'ana', at: Date.now() }), nothing);
  });
});

/** As `record.ts`, for investigations: `node --import tsx test/replay/record-investigations.ts`. What is there is kept. */
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { BUSINESS, type EffectKey } from '../../src/domain/ids.ts';
import { Action, type Investigation } from '../../src/domain/schemas/investigations.ts';
import { TASK_QUEUE } from '../../src/temporal/task-queues.ts';
import type { InvestigationActivities } from '../../src/workflows/investigation-types.ts';
import * as messages from '../../src/workflows/investigation-messages.ts';
import { aProposal, INVESTIGATION_INPUT, investigationParts } from '../support/investigation-parts.ts';
import { devServer, workflowBundle } from '../support/temporal.ts';
import { HISTORIES } from './histories.ts';

/** Where each is to be taken: on the way there it is approved, and its question answered with yes. */
const SCENES: Readonly<Record<string, Scene>> = {
  // Of before every action was bound to versions: today's code records others under these names.
  'investigation-proposed': { isReached: ({ status }) => status === 'proposed' },
  'investigation-asking': { isReached: ({ asked }) => asked !== null },
  'investigation-executing': { isReached: ({ results }) => results.length === 2 },
  'investigation-binding-every-action': { isReached: ({ results }) => results.length === 2 },
  'investigation-switched-off': switchedOff(),
  // Of before a later action that is stale was looked at again.
  'investigation-undoing-a-stale-one': staleLater(Infinity),
  'investigation-looking-again': staleLater(1),
};

interface Scene {
  readonly isReached: (view: Investigation) => boolean;
  readonly activities?: Partial<InvestigationActivities>;
}

function switchedOff(): Scene {
  let isAwaited = false;
  return {
    isReached: () => isAwaited,
    activities: {
      performAction: async () => Promise.resolve({ result: 'switched_off' }),
      awaitSwitchedOn: () => {
        isAwaited = true;
        throw ApplicationFailure.create({ message: 'still off', type: 'SwitchedOff', nextRetryDelay: '1h' });
      },
    },
  };
}

/** After a question `hold` is stale, so many times; reached when it is done, or as what was done before it is undone. */
function staleLater(times: number): Scene {
  const [hold, sure, late] = aProposal().actions;
  const talk = { kind: 'agent.attach', step: 'talk', title: 'Talk', risk: 'low', agent: 'notify', subject: BUSINESS };
  const actions = [Action.parse(talk), sure, hold, late].filter((one) => one !== undefined);
  let stale = 0;
  let isUndone = false;
  return {
    isReached: ({ results }) => isUndone || results.length === 3,
    activities: {
      propose: async ({ before, now }) =>
        Promise.resolve(
          before === null
            ? { result: 'proposed', proposal: aProposal({ actions, proposedAt: now }) }
            : { result: 'holds' },
        ),
      performAction: async ({ action }) => {
        if (action.step === 'hold' && stale < times) {
          stale += 1;
          return Promise.resolve({ result: 'stale' });
        }
        return Promise.resolve({ result: 'done', reference: 'r', detail: null });
      },
      undoAction: () => {
        isUndone = true;
        throw ApplicationFailure.create({ message: 'not now', nextRetryDelay: '1h' });
      },
    },
  };
}

async function record(name: string, { isReached, activities }: Scene): Promise<void> {
  const environment = await devServer();
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue: TASK_QUEUE,
    workflowBundle: await workflowBundle(),
    activities: { ...investigationParts(), ...activities },
  });
  try {
    await worker.runUntil(async () => {
      const handle = await environment.client.workflow.signalWithStart(messages.INVESTIGATION, {
        workflowId: `investigation/acme/restock/${name}`,
        taskQueue: TASK_QUEUE,
        args: [INVESTIGATION_INPUT],
        signal: messages.occurred,
        signalArgs: [{ effectKey: 'first' as EffectKey }],
      });
      const look = async () => handle.query(messages.investigationView);
      for (let view = await look(); !isReached(view); view = await look()) {
        const { status, asked } = view;
        if (status === 'proposed') {
          const approval = {
            decision: 'approve',
            actor: 'ana',
            person: 'ana',
            role: 'operator',
            reason: null,
          } as const;
          await handle.executeUpdate(messages.decide, { args: [approval] });
        }
        if (asked !== null) {
          const answer = { kind: 'confirmation', yes: true, note: null } as const;
          await handle.executeUpdate(messages.answer, { args: [{ step: asked.step, actor: 'ana', answer }] });
        }
        await pause(20);
      }
      const history = historyToJSON(await handle.fetchHistory()).replaceAll(/"\d+@[^"]*"/g, '"recorder"');
      writeFileSync(`${HISTORIES}/${name}.json`, `${history}\n`);
      await handle.terminate('recorded');
    });
  } finally {
    await environment.teardown();
  }
}

for (const [name, scene] of Object.entries(SCENES)) {
  if (existsSync(`${HISTORIES}/${name}.json`)) continue;
  process.stdout.write(`recording ${name}\n`);
  await record(name, scene);
}
process.exit(0);

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { quiet, workflowBundle } from '../support/temporal.ts';
import { HISTORIES } from './histories.ts';

/** States a run or a fan-out can be in while new code is deployed; each has a saved history. */
const STATES = [
  'asleep-after-a-burst',
  'ending-with-parked-effects',
  // Of before an ending heard people, and before a hand-off went ahead of messages that are held back.
  'ending-held-back',
  'ending-unheard',
  'ending-past-a-parked-message',
  'ending-in-turn',
  'ending-finishes-its-words',
  'ending-past-its-day',
  'taken-over-while-recorded',
  'undelivered-goes-again',
  // Of before each of those five, in this order.
  'ending-where-a-close-overtook',
  'ending-without-its-words',
  'ending-given-up-whole',
  'taken-over-unrecorded',
  'undelivered-told',
  'fan-out-where-nobody-answered',
  'in-retry-back-off',
  'investigation-asking',
  'investigation-binding-every-action',
  'investigation-executing',
  'investigation-looking-again',
  'investigation-proposed',
  'investigation-switched-off',
  'investigation-undoing-a-stale-one',
  'mid-tick',
  'overtaken-one-at-a-time',
  'paused',
  'rolled-over',
  'short-sleeps',
  // Of before the due time was published to the minute, and before messages cancelled what they make unwanted themselves.
  'short-sleeps-each-published',
  // Of the other workflows.
  'poll-under-way',
  'webhook-between-attempts',
];

describe('today’s workflow code', () => {
  it('goes on from every saved history, whatever the run was doing when it was saved', async () => {
    quiet();
    const names = readdirSync(HISTORIES).map((file) => file.replace(/\.json$/, ''));
    for (const state of STATES) assert.ok(names.includes(state), `no history of a run that is ${state}`);
    const histories = names.map((name) => ({
      workflowId: `run/acme/conversation/${name}/answering`,
      history: historyFromJSON(JSON.parse(readFileSync(join(HISTORIES, `${name}.json`), 'utf8'))),
    }));
    let replayed = 0;
    const options = { workflowBundle: await workflowBundle() };
    for await (const { workflowId, error } of Worker.runReplayHistories(options, histories)) {
      assert.equal(error, undefined, `${workflowId}: ${error?.message ?? ''}`);
      replayed += 1;
    }
    assert.equal(replayed, names.length);
  });

  it('holds no zod: a megabyte a run in the cache, and miscompiled by the bundler', async () => {
    const code = readFileSync((await workflowBundle()).codePath, 'utf8');
    assert.ok(code.includes('agentRun'));
    assert.equal(/node_modules\/zod\/|ZodError|\$ZodType/.test(code), false);
  });
});

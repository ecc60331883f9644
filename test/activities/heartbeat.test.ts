import assert from 'node:assert/strict';
import { Context } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { alive, crashesBefore } from '../../src/activities/heartbeat.ts';

const trace = (attempt: number, crashes: number, reported: boolean) => ({ attempt, crashes, reported });

describe('the attempts before this one', () => {
  it('all died when none left a trace', () => {
    assert.deepEqual(
      [1, 2, 5].map((attempt) => crashesBefore(attempt, undefined)),
      [0, 1, 4],
    );
  });

  it('did not die when the last one reported its failure', () => {
    assert.equal(crashesBefore(4, trace(3, 2, true)), 0);
  });

  it('died in a row since the last report', () => {
    assert.equal(crashesBefore(4, trace(3, 0, false)), 1);
    assert.equal(crashesBefore(5, trace(4, 3, false)), 4);
  });

  it('died too when they came after the last trace and left none', () => {
    assert.equal(crashesBefore(6, trace(3, 0, true)), 2);
    assert.equal(crashesBefore(6, trace(3, 1, false)), 4);
  });
});

describe('an attempt', () => {
  async function lastBeat(work: (crashes: number) => Promise<void>, info: object): Promise<unknown> {
    const environment = new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
    const beats: unknown[] = [];
    environment.on('heartbeat', (details: unknown) => beats.push(details));
    await assert.rejects(environment.run(() => alive(Context.current(), work)));
    return beats.at(-1);
  }

  it('says last that it reported its failure, and how many died before it', async () => {
    const info = { attempt: 3, heartbeatDetails: trace(2, 1, false) };
    const beat = await lastBeat(async (crashes) => Promise.reject(new Error(`${crashes} died`)), info);
    assert.deepEqual(beat, trace(3, 2, true));
  });
});

import assert from 'node:assert/strict';
import { liveLong } from '../support/long-life.ts';

const HOUR_MS = 3_600_000;
const HOURS_OF_FIFTEEN_DAYS = 15 * 24;

/** Six times as long in `test/slow`, and 25,000 wake-ups in `npm run chaos -- long-life`. */
describe('a run that goes on for fifteen days, every hour', () => {
  it('rolls over, with the same counters on both sides and a small history', async () => {
    const { executions, faults } = await liveLong({ ticks: HOURS_OF_FIFTEEN_DAYS, intervalMs: HOUR_MS });
    assert.deepEqual(faults, []);
    assert.ok(executions.length >= 2, `${executions.length} executions`);
    for (const { historyEvents } of executions) assert.ok(historyEvents < 5_000, `${historyEvents} events`);
  });
});

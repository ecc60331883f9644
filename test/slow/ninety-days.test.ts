import assert from 'node:assert/strict';
import { liveLong } from '../support/long-life.ts';

const HOUR_MS = 3_600_000;
const HOURS_OF_NINETY_DAYS = 90 * 24;

describe('a run that goes on for ninety days, every hour', () => {
  it('rolls over several times, with the same counters on both sides and a small history', async () => {
    const { executions, faults } = await liveLong({ ticks: HOURS_OF_NINETY_DAYS, intervalMs: HOUR_MS });
    assert.deepEqual(faults, []);
    assert.ok(executions.length >= 5, `${executions.length} executions`);
    for (const { historyEvents } of executions) assert.ok(historyEvents < 5_000, `${historyEvents} events`);
  });
});

/** 25,000 wake-ups of one run, a minute apart with skipped time: nothing grows, nothing is lost, nothing is forgotten. */
import { liveLong } from '../support/long-life.ts';

const TICKS = 25_000;
const MINUTE_MS = 60_000;

/** @returns whether every rule was kept. */
export async function longLife(): Promise<boolean> {
  const startedAt = performance.now();
  const { result, executions, eventsConsumed, messagesSent, faults } = await liveLong({
    ticks: TICKS,
    intervalMs: MINUTE_MS,
  });
  const largest = Math.max(...executions.map(({ historyEvents }) => historyEvents));
  const rows = {
    'ticks, one execution after the other': executions.map(({ ticks }) => ticks).join(', '),
    'failures in a row, carried over each roll-over': executions
      .slice(1)
      .map(({ failures }) => failures)
      .join(', '),
    'history events of the largest execution': largest,
    'ticks of the run': result.ticks,
    'events consumed (each was told at least twice)': eventsConsumed,
    'messages sent': messagesSent,
    'how it ended': `${result.status}, ${result.reason}`,
    'rules broken': faults.length,
    'seconds it took': Math.round((performance.now() - startedAt) / 1_000),
  };
  console.log('| long-life | |\n|---|---|');
  for (const [name, value] of Object.entries(rows)) console.log(`| ${name} | ${value} |`);
  for (const fault of faults) console.log(`\nBROKEN: ${fault}`);
  return faults.length === 0 && largest < 5_000;
}

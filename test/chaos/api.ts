/** `npm run chaos -- api [rounds] [seed]`: the API asked everything that its OpenAPI document describes, at length. */
import { fuzzApi } from '../support/api-fuzz.ts';

const ROUNDS = 100;

/** @returns whether every rule was kept. */
export async function api([rounds = String(ROUNDS), given = String(Date.now())]: readonly string[]): Promise<boolean> {
  const seed = Number(given);
  const startedAt = performance.now();
  const { requests, statuses, neverDone, violations } = await fuzzApi({ rounds: Number(rounds), seed });
  const rows = {
    seed,
    requests,
    answers: Object.entries(statuses)
      .map(([status, count]) => `${count} × ${status}`)
      .join(', '),
    'operations that never succeeded': neverDone.length,
    'rules broken': violations.length,
    'seconds it took': Math.round((performance.now() - startedAt) / 1_000),
  };
  console.log('| api | |\n|---|---|');
  for (const [name, value] of Object.entries(rows)) console.log(`| ${name} | ${value} |`);
  for (const one of neverDone) console.log(`\nnever: ${one}`);
  for (const violation of violations) console.log(`\nBROKEN: ${violation}`);
  return violations.length === 0;
}

/**
 * `npm run bench -- watchers [businesses]`: precision and recall of each watcher over made-up businesses with known troubles,
 * near misses and noise, on seeds that no test uses. Both have to be 0.95 at least.
 */
import { WATCHERS } from '../src/agents/registry.ts';
import { dayAfter } from '../src/domain/days.ts';
import { generateBusiness } from '../src/erp/demo/business/generate-business.ts';
import { scoreOf, type Score } from '../test/support/watched.ts';
import { noisy } from './watchers-noise.ts';

const BUSINESSES = Number(process.argv[3] ?? 20);
const WANTED = 0.95;
const PLANTS = {
  stockouts: 6,
  overdueInvoices: 12,
  stalledDeals: 12,
  duplicatePayments: 8,
  lateShipments: 12,
  nearMisses: 12,
};

export async function watchers(): Promise<void> {
  const scores = new Map<string, Score[]>();
  for (let n = 0; n < BUSINESSES; n += 1) {
    const seed = `bench watchers ${n}`;
    // Each on another day of the week and another season.
    const until = dayAfter('2026-01-05', n * 37);
    const business = noisy(generateBusiness({ seed, until, plants: PLANTS }), { seed, until });
    for (const agent of WATCHERS)
      scores.set(agent.key, [...(scores.get(agent.key) ?? []), await scoreOf(agent, business, until)]);
  }
  console.log(
    `${BUSINESSES} businesses of a year, with noise\n\n| watcher | troubles | told | precision | recall |\n|---|---|---|---|---|`,
  );
  const problems: string[] = [];
  for (const [key, each] of scores) {
    const found = each.reduce((sum, score) => sum + score.found, 0);
    const [wrong, missed] = [each.flatMap((score) => score.wrong), each.flatMap((score) => score.missed)];
    const [precision, recall] = [found / (found + wrong.length), found / (found + missed.length)];
    console.log(
      `| ${[key, found + missed.length, found + wrong.length, precision.toFixed(3), recall.toFixed(3)].join(' | ')} |`,
    );
    problems.push(
      ...wrong.map((one) => `${key}: none, and told: ${one}`),
      ...missed.map((one) => `${key}: missed ${one}`),
    );
    if (precision < WANTED || recall < WANTED) process.exitCode = 1;
  }
  if (problems.length > 0) console.log(`\n${problems.slice(0, 60).join('\n')}`);
  if (process.exitCode === 1) console.log(`\nBELOW ${WANTED}`);
}

/**
 * `npm run bench -- fleet [tenants]`: a fleet of watchers, five a tenant, all overdue when the worker comes back. They are
 * attached and prepared, the worker is stopped until they are late, and a fresh one drains them against an ERP's server
 * that counts its calls. Printed: was each ticked, any twice, the ERP's busiest second, lag, peak memory, drain time.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { WATCHERS } from '../src/agents/registry.ts';
import { createRunClient } from '../src/client/run-client.ts';
import { BUSINESS, type TenantId } from '../src/domain/ids.ts';
import { resolvePolicy } from '../src/domain/schemas/policy.ts';
import { ms } from '../src/domain/durations.ts';
import { generateBusiness } from '../src/erp/demo/business/generate-business.ts';
import { startErpServer } from '../src/erp/simulated/erp-server.ts';
import { createTestDatabase, DATABASES, temporaryDirectory } from '../test/support/desk.ts';
import { devServer } from '../test/support/temporal.ts';
import { erpOf } from '../test/support/watched.ts';
import type { FromWorker, Plan, Report, Ticked, ToWorker } from './fleet-plan.ts';

const TENANTS = Number(process.argv[3] ?? 500);
const CALLS_PER_SECOND = 5;
/** As an ERP in the same country answers. */
const ERP_ANSWERS_IN_MS = 20;
/** What attaching and preparing one run may take on a busy machine: until then nothing falls due. */
const READY_MS_EACH = 60;
const AT_ONCE = 20;
const LOOK_EVERY_MS = 1_000;
/** A fleet that has not drained by then is stuck. */
const GIVE_UP_MS = 30 * 60_000;

export async function fleet(): Promise<void> {
  const env = await devServer();
  // Nobody writes: one business serves all tenants.
  const business = erpOf(generateBusiness({ seed: 'bench fleet', until: today(), size: 'small' }).records);
  const token = 'a token of the benchmark';
  const fault = () => ({ fault: 'slow', ms: ERP_ANSWERS_IN_MS }) as const;
  const erp = await startErpServer({ erpOf: () => business, token, fault });
  const desk = await newDesk();
  const tenants = Array.from({ length: TENANTS }, (_, n) => `tenant-${n + 1}`);
  const plan: Plan = {
    temporal: env.address,
    erp: erp.url,
    token,
    callsPerSecond: CALLS_PER_SECOND,
    tenants,
    ...desk.at,
  };
  const dueAt = Date.now() + 15_000 + READY_MS_EACH * TENANTS * WATCHERS.length;
  await attachAll(env, plan, new Date(dueAt).toISOString());
  await pause(Math.max(0, dueAt - Date.now()) + 1_000);

  const worker = await startWorker(plan);
  const startedAt = Date.now();
  const runs = TENANTS * WATCHERS.length;
  const report = await drained(worker, runs, startedAt);
  await stop(worker);
  print({
    report,
    startedAt,
    runs,
    busiest: Math.max(...tenants.map((tenant) => erp.busiestSecond(tenant))),
    calls: erp.calls.length,
  });
  await erp.close();
  await env.teardown();
  await desk.remove();
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

async function newDesk(): Promise<{ at: Pick<Plan, 'dataDir' | 'databaseUrl'>; remove(): Promise<void> }> {
  const dataDir = temporaryDirectory();
  const remove = async (): Promise<void> => {
    rmSync(dataDir, { recursive: true, force: true });
    return Promise.resolve();
  };
  if (DATABASES.at(-1) === 'PGlite') return { at: { dataDir, databaseUrl: '' }, remove };
  const database = await createTestDatabase();
  return { at: { dataDir, databaseUrl: database.url }, remove: async () => database.drop() };
}

/** Attached and prepared, then nobody is there to tick them. */
async function attachAll(env: TestWorkflowEnvironment, plan: Plan, firstRunAt: string): Promise<void> {
  const worker = await startWorker(plan);
  const runs = createRunClient(env.client);
  const left = plan.tenants.flatMap((tenant) =>
    WATCHERS.map(({ key, slot }) => ({ tenant: tenant as TenantId, agent: key, slot })),
  );
  const count = left.length;
  const attacher = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop())
      await runs.attach({ ...next, subject: BUSINESS, config: {}, actor: 'bench', firstRunAt });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, attacher));
  while ((await ask(worker)).prepared < count) await pause(LOOK_EVERY_MS);
  const early = (await ask(worker)).ticks.length;
  if (early > 0) console.log(`TOO SLOW: ${early} fell due before all were attached`);
  await stop(worker);
}

async function startWorker(plan: Plan): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('./fleet-worker.ts', import.meta.url));
  const worker = fork(file, [JSON.stringify(plan)], { execArgv: ['--import', 'tsx'] });
  await once(worker, 'message');
  return worker;
}

async function ask(worker: ChildProcess): Promise<Report> {
  worker.send('report' satisfies ToWorker);
  const [report] = (await once(worker, 'message')) as [Exclude<FromWorker, 'ready'>];
  return report;
}

async function stop(worker: ChildProcess): Promise<void> {
  worker.send('stop' satisfies ToWorker);
  await once(worker, 'exit');
}

async function drained(worker: ChildProcess, runs: number, startedAt: number): Promise<Report> {
  for (;;) {
    const report = await ask(worker);
    if (firsts(report.ticks).length >= runs) return report;
    if (Date.now() - startedAt > GIVE_UP_MS) return report;
    await pause(LOOK_EVERY_MS);
  }
}

/** The overdue tick of each run, once. */
function firsts(ticks: readonly Ticked[]): readonly Ticked[] {
  return [...new Map(ticks.filter(({ tick }) => tick === 1).map((tick) => [tick.run, tick])).values()];
}

interface Measured {
  readonly report: Report;
  readonly startedAt: number;
  readonly runs: number;
  readonly busiest: number;
  readonly calls: number;
}

function print({ report, startedAt, runs, busiest, calls }: Measured): void {
  const first = firsts(report.ticks);
  const names = report.ticks.map(({ run, tick }) => `${run}#${tick}`);
  const twice = names.length - new Set(names).size;
  const seconds = (Math.max(...first.map(({ endedAt }) => endedAt)) - startedAt) / 1_000;
  console.log(
    `node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(2)}, desk on ${DATABASES.at(-1)}\n`,
  );
  console.log(`overdue            ${runs}\nticked             ${first.length}\ntwice              ${twice}`);
  console.log(`drained in         ${seconds.toFixed(1)} s (${(first.length / seconds).toFixed(0)} a second)`);
  console.log(
    `put off and tried again ${report.putOff}; ticks in all ${report.ticks.length}; triggers told ${report.opened}`,
  );
  console.log(`worker's memory    ${report.peakMb.toFixed(0)} MB at the most`);
  console.log(
    `ERP                ${calls} calls; busiest second of a tenant ${busiest}, allowed ${CALLS_PER_SECOND} and the one that begins it`,
  );
  const took = report.erpSeconds.map((one) => one * 1_000);
  console.log(
    `                   p50 ${quantile(took, 0.5).toFixed(0)} ms, p99 ${quantile(took, 0.99).toFixed(0)} ms a call\n`,
  );
  console.log('| watcher | lag p50 s | p95 s | most s | above its lagAlert |\n|---|---|---|---|---|');
  for (const { key, policy } of WATCHERS) {
    const lags = first.filter(({ agent }) => agent === key).map(({ lag }) => lag);
    const alert = ms(resolvePolicy(policy).lagAlert) / 1_000;
    const figures = [0.5, 0.95, 1].map((q) => quantile(lags, q).toFixed(1));
    console.log(`| ${[key, ...figures, lags.filter((lag) => lag > alert).length].join(' | ')} |`);
  }
  if (first.length < runs || twice > 0 || busiest > CALLS_PER_SECOND + 1) {
    console.log('\nNOT AS IT SHOULD BE');
    process.exitCode = 1;
  }
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * q)] ?? Number.NaN;
}

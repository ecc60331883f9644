/**
 * Mends what a crash left between the desk and Temporal: events stored and not delivered, takeovers and detaches
 * accepted and not signalled, fan-outs that no workflow works on, runs and investigations that the desk believes live and
 * Temporal has closed. Every step is idempotent, so any number of servers may do it at once.
 */
import { setImmediate as aTurn, setTimeout as sleep } from 'node:timers/promises';
import { tell } from '../client/tell.ts';
import type { ActRecord, RunRecord } from '../desk/desk.ts';
import { allOver } from '../domain/all-over.ts';
import type { WorkflowId } from '../domain/ids.ts';
import { detached, humanTookOver } from '../workflows/messages.ts';
import type { Run } from '../domain/schemas/runs.ts';
import { createFanOuts } from './fan-outs.ts';
import type { HandBacks } from './hand-back.ts';
import { howClosed } from './how-closed.ts';
import { endLostInvestigations } from './lost-investigations.ts';
import type { IntakeDeps } from './deps.ts';
import type { Intake } from './intake.ts';

/** A fresh event belongs to the process that stored it; after this long that process is taken for dead. */
const EVENT_GRACE_MS = 3_000;
const BATCH = 200;
const PAUSE_MS = 2_000;
/** Runs compared with Temporal per round: 25 a second at most, so 10,000 in under seven minutes at no load worth naming. */
const RUNS_PER_ROUND = 50;
/** Silences are minutes and hours long: a quarter of a minute late is on time. */
const HAND_BACK_EVERY_MS = 15_000;
const DAY_MS = 86_400_000;
/** Rows of each table at a time: some tens of milliseconds. */
const FORGET_BATCH = 1_000;

export interface Reconciler {
  /** One round; answers how much it mended. */
  round(): Promise<{ readonly events: number; readonly acts: number; readonly lost: number }>;
  /** Rounds until stopped; resolves when the last one is over. */
  run(stop: AbortSignal): Promise<void>;
}

export function createReconciler(
  deps: IntakeDeps,
  intake: Pick<Intake, 'redeliver'>,
  handBacks?: Pick<HandBacks, 'round'>,
): Reconciler {
  const { desk, log } = deps;
  const fanOuts = createFanOuts(deps);
  let forgetAt = 0;
  let handBackAt = 0;

  async function handBackSilent(): Promise<void> {
    if (handBacks === undefined || Date.now() < handBackAt) return;
    handBackAt = Date.now() + HAND_BACK_EVERY_MS;
    await handBacks.round();
  }

  /** Once a day, and soon after the start, since a process may not live that long. */
  async function forgetOld(): Promise<void> {
    const now = Date.now();
    if (now < forgetAt) return;
    const forgotten = await desk.retention.forget({ now: new Date(now).toISOString(), limit: FORGET_BATCH });
    const counts = Object.values(forgotten);
    // More to come: with the next round, so that nobody waits behind it.
    if (!counts.includes(FORGET_BATCH)) forgetAt = now + DAY_MS;
    if (counts.some((count) => count > 0)) log.info({ forgotten }, 'what is past its horizon was forgotten');
  }

  async function deliverEvents(): Promise<number> {
    const events = await desk.events.undelivered({ olderThanMs: EVENT_GRACE_MS, limit: BATCH });
    await allOver(events.map(async (event) => intake.redeliver(event)));
    return events.length;
  }

  /** What Temporal has taken from this process: a run may take hours to end, and must not hear of it every round. */
  const said = new Set<string>();

  async function signalActs(): Promise<number> {
    const acts = (await desk.acts.undelivered(BATCH)).map((act) => ({ act, name: JSON.stringify(act) }));
    const pending = new Set(acts.map(({ name }) => name));
    for (const name of said) if (!pending.has(name)) said.delete(name);
    const told = await Promise.all(
      acts
        .filter(({ name }) => !said.has(name))
        .map(async ({ act, name }) => ((await signalAct(deps, act)) ? said.add(name) : null)),
    );
    return told.filter((one) => one !== null).length;
  }

  async function findLost(): Promise<number> {
    const runs = await desk.runs.liveUnchecked(RUNS_PER_ROUND);
    const ended = await allOver(runs.map(async (run) => (await endInTemporal(deps, run)) ?? []));
    for (const run of ended.flat()) {
      if (await desk.runs.recordEnd({ run, unhandled: [] }))
        log.warn({ run: run.workflowId, reason: run.reason }, 'a run had ended unrecorded');
      // An embedded database answers within this thread: without it nobody else would be heard before the last is written.
      await aTurn();
    }
    return ended.flat().length;
  }

  async function rest() {
    const mended = { events: await deliverEvents(), lost: await findLost() };
    await endLostInvestigations(deps);
    await fanOuts.startWaiting();
    await handBackSilent();
    await forgetOld();
    return mended;
  }

  async function repeat(step: () => Promise<unknown>, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await step().catch((error: unknown) => log.warn({ problem: String(error) }, 'a round of reconciling failed'));
      await sleep(PAUSE_MS, undefined, { signal: stop }).catch(() => undefined);
    }
  }

  return {
    round: async () => ({ acts: await signalActs(), ...(await rest()) }),
    // Who stops a run does not wait for the events of a subject that is slow.
    async run(stop) {
      await Promise.all([repeat(signalActs, stop), repeat(rest, stop)]);
    },
  };
}

/** False: it could not be told now. The next round tries again, and the acts and runs behind it do not wait for that. */
async function signalAct(
  { client, log }: IntakeDeps,
  act: ActRecord & { readonly workflowId: WorkflowId },
): Promise<boolean> {
  const { actor, at, comment, attachment } = act;
  const meant = { actor, at, ...(comment === null ? {} : { comment }), ...(attachment === null ? {} : { attachment }) };
  const explicit = act.slot === null ? {} : { explicit: true as const };
  try {
    if (act.act === 'detach') await tell(client, act.workflowId, detached, meant);
    else await tell(client, act.workflowId, humanTookOver, { ...meant, cause: 'taken_over', ...explicit });
    return true;
  } catch (error) {
    log.warn({ run: act.workflowId, act: act.act, problem: String(error) }, 'an act could not be told to its run');
    return false;
  }
}

/**
 * How a run ended that the desk believes live; null: it does live. A workflow that completed says itself how; one that
 * was terminated, failed, timed out or vanished is lost.
 */
async function endInTemporal(deps: IntakeDeps, run: RunRecord): Promise<RunRecord | null> {
  const closed = await howClosed(deps, run);
  if (closed === null) return null;
  if (closed.how !== 'completed') return lost(run, closed.how);
  const handle = deps.client.workflow.getHandle(run.workflowId, closed.runId);
  const { config, state, ...view } = (await handle.result()) as Run;
  return { ...run, ...view, config: config as RunRecord['config'], state: state as RunRecord['state'] };
}

function lost(run: RunRecord, how: string): RunRecord {
  const end = {
    status: 'REMOVED_BY_SYSTEM',
    reason: 'lost',
    actor: 'system',
    comment: `its workflow is gone: ${how}`,
  } as const;
  return { ...run, ...end, phase: null, endedAt: new Date().toISOString(), nextRunAt: null, nextRunWhy: null };
}

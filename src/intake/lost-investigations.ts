/** Investigations that the desk believes live and Temporal has closed: terminated, timed out, or vanished. */
import { allOver } from '../domain/all-over.ts';
import { reportOf } from '../domain/investigation-report.ts';
import { isLive } from '../domain/investigations.ts';
import type { Investigation } from '../domain/schemas/investigations.ts';
import type { IntakeDeps } from './deps.ts';
import { howClosed } from './how-closed.ts';

/** A round: live ones are fewer than runs, and each costs one question. */
const PER_ROUND = 10;

type Deps = Pick<IntakeDeps, 'desk' | 'client' | 'log'>;

/** Records their end, tells it and reports it to the run that opened each, as the workflow would have. @returns how many. */
export async function endLostInvestigations(deps: Deps): Promise<number> {
  const { desk, log } = deps;
  const live = await desk.investigations.liveUnchecked(PER_ROUND);
  const lost = await allOver(
    live.map(async ({ view, version }) => {
      const closed = await howClosed(deps, view);
      // It may have told its end itself since it was listed.
      const now = closed === null ? null : await desk.investigations.get(view.tenant, view.id);
      return closed === null || now === null || !isLive(now.status)
        ? []
        : [{ view: lostView(view, closed.how), version: version + 1 }];
    }),
  );
  for (const { view, version } of lost.flat()) {
    await desk.intake.store(reportOf(view));
    const end = { type: 'investigation.failed', key: 'end', at: view.updatedAt, links: [] } as const;
    await desk.investigations.record({ view, version, tell: [end], counted: [] });
    log.warn(
      { investigation: view.id, agent: view.agent, reason: view.reason },
      'an investigation had ended unrecorded',
    );
  }
  return lost.flat().length;
}

function lostView(view: Investigation, how: string): Investigation {
  const at = new Date().toISOString();
  const begun = view.status === 'executing' ? '; what it has begun may be done, look at its actions' : '';
  return {
    ...view,
    status: 'failed',
    reason: `its workflow is gone: ${how}${begun}`,
    endedAt: at,
    updatedAt: at,
    asked: null,
  };
}

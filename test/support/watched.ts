/** Watchers at work on a made-up business whose troubles are known: what they tell, held against the truth. */
import type { Agent } from '../../src/agents/define-agent.ts';
import type { AnyRecord } from '../../src/domain/schemas/erp-writes.ts';
import type { InvestigationOpen } from '../../src/domain/schemas/effects.ts';
import type { Business } from '../../src/erp/demo/business/business.ts';
import { createDemoErp } from '../../src/erp/demo/demo-erp.ts';
import { createMemoryBooks } from '../../src/erp/demo/memory-books.ts';
import type { Erp } from '../../src/erp/erp.ts';
import { rehearse, type Rehearsal } from '../../src/testing.ts';

/** The evening of the day to which the generator tells its story. */
export function eveningOf(day: string): string {
  return `${day}T20:00:00.000Z`;
}

export function erpOf(records: readonly AnyRecord[], clock?: () => number): Erp {
  return createDemoErp({
    books: createMemoryBooks({ records, ...(clock === undefined ? {} : { clock }) }),
    ...(clock === undefined ? {} : { clock }),
  });
}

/** Attached, and everything there is read: a minute is enough for what is read a second later. */
export async function watch(
  agent: Agent,
  of: { readonly erp: Erp; readonly at: string; readonly config?: unknown },
): Promise<Rehearsal> {
  const rehearsal = await rehearse(agent, { ...of, timeZone: 'UTC' });
  await rehearsal.advance('1m');
  return rehearsal;
}

export function opened({ done }: Rehearsal): InvestigationOpen[] {
  return done.filter((effect) => effect.kind === 'investigation.open');
}

export interface Score {
  readonly found: number;
  /** Told, and none. */
  readonly wrong: readonly string[];
  /** There, and not told. */
  readonly missed: readonly string[];
}

export async function scoreOf(agent: Agent, { records, labels }: Business, day: string): Promise<Score> {
  const rehearsal = await watch(agent, { erp: erpOf(records), at: eveningOf(day) });
  const told = new Set(opened(rehearsal).map(({ signature }) => signature));
  const truth = labels.troubles.filter(({ trouble }) => trouble === agent.key);
  const wanted = new Set(truth.map(({ id }) => id));
  return {
    found: [...wanted].filter((id) => told.has(id)).length,
    wrong: [...told].filter((id) => !wanted.has(id)).map((id) => `${id}${howOf(labels.nearMisses, id)}`),
    missed: truth.filter(({ id }) => !told.has(id)).map(({ id, how }) => `${id} (${how})`),
  };
}

function howOf(labels: Business['labels']['nearMisses'], id: string): string {
  const near = labels.find((label) => label.id === id);
  return near === undefined ? '' : ` (${near.how})`;
}

/** Where Temporal is for a command that starts none itself: where the configuration says, or the running `attache dev`'s. */
import type { Config } from '../config.ts';
import { isAlive } from '../machine/held-file.ts';
import { embeddedTarget, type TemporalTarget } from './connection.ts';
import { readDevState } from './dev-state.ts';

/** Undefined: the configuration names none, and no `attache dev` runs in the data folder. */
export function knownTarget({ temporal, dataDir }: Pick<Config, 'temporal' | 'dataDir'>): TemporalTarget | undefined {
  if (temporal.kind === 'external') return temporal;
  const state = readDevState(dataDir);
  return state?.temporal === undefined || !isAlive(state) ? undefined : embeddedTarget(state.temporal.address);
}

/** The activities, with what they need handed in at the door. */
import type { RunActivities } from '../workflows/activity-types.ts';
import type { ActivityDeps } from './deps.ts';
import { perform } from './perform.ts';
import { prepare } from './prepare.ts';
import { catchUp, recordEnd, takeBack } from './records.ts';
import { tick } from './tick.ts';

export function createActivities(deps: ActivityDeps): RunActivities {
  return {
    prepare: (input) => prepare(deps, input),
    tick: (input) => tick(deps, input),
    perform: (input) => perform(deps, input),
    catchUp: (input) => catchUp(deps, input),
    takeBack: (input) => takeBack(deps, input),
    recordEnd: (input) => recordEnd(deps, input),
  };
}

import { OPEN_STAGES, openDeal } from '../sales-talks.ts';
import type { Planting } from './plant.ts';

export const stalledDeal: Planting = {
  trouble: 'stalled-deal',
  kind: 'deal',
  plant(draft, { customers }, n) {
    const random = draft.random.fork(`stalled ${n}`);
    const quiet = random.whole(22, 55);
    const missed = n % 3 === 2;
    const { id } = openDeal(draft, {
      // Somebody who can be written to.
      customer: random.pick(customers.filter(({ conversationId }) => conversationId !== null)),
      stage: random.pick(OPEN_STAGES.slice(1)),
      openedOn: draft.today(-quiet - 10),
      lastOn: draft.today(-quiet),
      nextStepOn: missed ? draft.today(-random.whole(5, 15)) : null,
    });
    return { id, how: missed ? 'the next step was missed' : `quiet for ${quiet} days` };
  },
  nearMiss(draft, { customers }, n) {
    const random = draft.random.fork(`nearly stalled ${n}`);
    const quiet = random.whole(25, 60);
    const deal = {
      customer: random.pick(customers),
      openedOn: draft.today(-80),
      stage: random.pick(OPEN_STAGES),
      nextStepOn: null,
    };
    switch (n % 3) {
      case 0:
        return {
          id: openDeal(draft, { ...deal, lastOn: draft.today(-quiet), nextStepOn: draft.today(random.whole(1, 12)) })
            .id,
          how: 'quiet, with a next step ahead',
        };
      case 1:
        return {
          id: openDeal(draft, { ...deal, lastOn: draft.today(-quiet), stage: random.pick(['won', 'lost']) }).id,
          how: 'quiet, since it is over',
        };
      default:
        return {
          id: openDeal(draft, { ...deal, lastOn: draft.today(-random.whole(5, 8)) }).id,
          how: 'quiet for a week',
        };
    }
  },
};

/** Deals: most are won or lost within weeks; those still open were all heard of in the last days. */
import type { ErpRecord } from '../../../domain/schemas/erp-records.ts';
import type { Catalogue, Size } from './catalogue.ts';
import { dayAfter, daysBetween } from '../../../domain/days.ts';
import { instantOn } from './days.ts';
import type { Draft } from './draft.ts';
import { THINGS } from './words.ts';

export const OPEN_STAGES = ['new', 'qualified', 'proposal', 'negotiation'] as const;

export function talk(draft: Draft, { customers }: Catalogue, { deals }: Size): void {
  const random = draft.random.fork('deals');
  for (let n = 0; n < deals; n += 1) {
    const openedOn = dayAfter(draft.from, random.whole(0, daysBetween(draft.from, draft.until) - 1));
    const lastOn = dayAfter(openedOn, random.whole(1, 60));
    const isOpen = lastOn > draft.until;
    openDeal(draft, {
      customer: random.pick(customers),
      stage: isOpen ? random.pick(OPEN_STAGES) : random.pick(['won', 'lost']),
      openedOn,
      lastOn: isOpen ? draft.today(-random.whole(0, Math.min(8, daysBetween(openedOn, draft.until)))) : lastOn,
      nextStepOn: null,
    });
  }
}

export function openDeal(
  draft: Draft,
  deal: {
    readonly customer: Pick<ErpRecord<'customer'>, 'id' | 'conversationId'>;
    readonly stage: ErpRecord<'deal'>['stage'];
    readonly openedOn: string;
    readonly lastOn: string;
    readonly nextStepOn: string | null;
  },
): ErpRecord<'deal'> {
  const id = draft.nextId('deal');
  const random = draft.random.fork(id);
  const lastActivityAt = instantOn(deal.lastOn, random.whole(60, 290));
  return draft.put('deal', lastActivityAt, {
    id,
    title: `${random.pick(THINGS)} for a year`,
    customerId: deal.customer.id,
    stage: deal.stage,
    value: draft.money(random.whole(50, 2_000) * 1_000),
    openedAt: instantOn(deal.openedOn, 0),
    lastActivityAt,
    nextStepOn: deal.nextStepOn,
    conversationId: deal.customer.conversationId,
  });
}

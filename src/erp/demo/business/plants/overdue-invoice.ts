import type { Draft } from '../draft.ts';
import { dayAfter } from '../../../../domain/days.ts';
import { instantOn } from '../days.ts';
import { issue, receive } from '../money.ts';
import type { Planting } from './plant.ts';

/** An invoice that fell due so many days ago (negative: in so many days). */
function due(draft: Draft, daysAgo: number): ReturnType<typeof issue> {
  const random = draft.random.fork(`due ${draft.of('invoice').length}`);
  const { id: customerId } = random.pick(draft.of('customer'));
  return issue(draft, {
    customerId,
    orderId: null,
    issuedOn: draft.today(-daysAgo - 21),
    total: random.whole(80, 4_000) * 100,
  });
}

const promised = (draft: Draft, id: string, { madeAgo, inDays }: { madeAgo: number; inDays: number }): void => {
  const madeAt = instantOn(draft.today(-madeAgo), 120);
  const { total, paid } = draft.get('invoice', id);
  const amount = draft.money(total.amount - paid.amount);
  draft.change('invoice', id, madeAt, { promise: { on: dayAfter(draft.until, inDays), amount, madeAt } });
};

export const overdueInvoice: Planting = {
  trouble: 'overdue-invoice',
  kind: 'invoice',
  plant(draft, _, n) {
    const random = draft.random.fork(`overdue ${n}`);
    const daysAgo = random.whole(12, 50);
    const invoice = due(draft, daysAgo);
    switch (n % 4) {
      case 1:
        receive(draft, invoice, {
          amount: Math.round(invoice.total.amount * random.between(0.3, 0.8)),
          on: draft.today(-random.whole(1, 10)),
        });
        return { id: invoice.id, how: 'only part was paid' };
      case 2:
        promised(draft, invoice.id, { madeAgo: 11, inDays: -random.whole(3, 8) });
        return { id: invoice.id, how: 'a promise was broken' };
      case 3: {
        const lastRemindedAt = instantOn(draft.today(-9), 200);
        if (daysAgo > 12) draft.change('invoice', invoice.id, lastRemindedAt, { remindersSent: 1, lastRemindedAt });
        return { id: invoice.id, how: 'was reminded nine days ago, in vain' };
      }
      default:
        return { id: invoice.id, how: 'nothing was heard' };
    }
  },
  nearMiss(draft, _, n) {
    const random = draft.random.fork(`nearly overdue ${n}`);
    if (n % 6 === 0) return { id: due(draft, random.whole(-2, 1)).id, how: 'falls due about today' };
    const invoice = due(draft, random.whole(12, 40));
    const { id, total } = invoice;
    switch (n % 6) {
      case 1:
        promised(draft, id, { madeAgo: 3, inDays: random.whole(2, 10) });
        return { id, how: 'payment is promised for a day to come' };
      case 2:
        draft.change('invoice', id, instantOn(draft.today(-6), 90), { isDisputed: true });
        return { id, how: 'is disputed' };
      case 3: {
        const lastRemindedAt = instantOn(draft.today(-random.whole(1, 2)), 200);
        draft.change('invoice', id, lastRemindedAt, { remindersSent: 1, lastRemindedAt });
        return { id, how: 'was reminded just now' };
      }
      case 4:
        receive(draft, invoice, {
          amount: total.amount - random.whole(1, Math.floor(total.amount / 200)),
          on: draft.today(-3),
        });
        return { id, how: 'only a bank’s fee is missing' };
      default:
        draft.change('invoice', id, instantOn(draft.today(-4), 90), { status: 'void' });
        return { id, how: 'is void' };
    }
  },
};

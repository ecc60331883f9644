/**
 * Watches what is paid to suppliers, and proposes to hold, or to ask back, what seems to pay a bill for the second time.
 *
 * A pair is suspicious when payee and currency are the same, the amounts differ by at most `amountTolerance`, and the days by at
 * most `withinDays`. It is a double when the references hold the same number, or one with a slip, or both name one purchase
 * order; it is none when they name two orders, are instalments, or belong to a row of standing payments (twins.ts). Two
 * halves of one order are instalments too: together they are not more than the order's total.
 */
import { z } from 'zod';
import { dayAfter, daysBetween } from '../../domain/days.ts';
import { localDate } from '../../domain/local-time.ts';
import { shownMoney } from '../../domain/money.ts';
import { ErpId, type ErpRecord } from '../../domain/schemas/erp-records.ts';
import type { ActionInput } from '../../domain/schemas/investigations.ts';
import type { ErpReads } from '../../erp/erp.ts';
import { inPercent, less, readAll, seen } from '../evidence.ts';
import { defineInvestigator, dismiss } from '../investigate.ts';
import { defineWatcher, watching, type Trouble, type Watching } from '../watch.ts';
import { twinsAmong, type Twins } from './twins.ts';

const Config = z.strictObject({
  ...watching({ restFor: '30d' }),
  amountTolerance: z.number().min(0).max(0.1).default(0.0075),
  withinDays: z.int().min(0).max(60).default(14),
  /** Older payments are nobody's to ask back by this way. */
  lookBackDays: z.int().min(1).max(730).default(90),
});
type Config = z.infer<typeof Config>;

const Trigger = z.object({ paymentId: ErpId });

/** An order is paid in parts as long as all of them are not more than it, give or take rounding. */
const ROUNDING = 1.001;

const investigate = defineInvestigator({
  config: Config,
  trigger: Trigger,
  steps: {
    async payments({ erp, trigger: { paymentId }, config, tenant, now }) {
      const payment = await erp.get('payment', paymentId);
      const today = localDate(now, tenant.timeZone);
      const twins = payment?.supplierId == null ? [] : await twinsOf({ erp, config, today }, payment.supplierId);
      const found = twins.find(({ second }) => second.id === paymentId);
      if (found === undefined) return { facts: { twins: null }, evidence: [] };
      const { first, second, why } = found;
      const note = seen(now, `erp: payments to ${second.supplierId ?? ''}`);
      const shown = (
        name: string,
        { id, amount, bookedOn, reference, purchaseOrderId, status }: ErpRecord<'payment'>,
      ) => [
        note(`${name} (${id}, ${status}, booked on ${bookedOn})`, amount),
        note(`${name}: reference`, reference),
        note(`${name}: purchase order`, purchaseOrderId),
      ];
      return {
        facts: { twins: { why, first: shortOf(first), second: shortOf(second) } },
        evidence: [
          ...shown('first', first),
          ...shown('second', second),
          note('days between the two', daysBetween(first.bookedOn, second.bookedOn), 'days'),
          note('difference', less(second.amount, first.amount)),
          note('taken for one bill by', why),
        ],
      };
    },
  },
  propose({ config, trigger: { paymentId }, facts: { payments: found } }) {
    const { twins } = found;
    if (twins === null)
      return dismiss('the two are no double any more: one was held, asked back, cancelled or explained');
    const { first, second, why } = twins;
    const reason = `pays again what ${first.id} pays: ${why}`;
    const about = `${shownMoney(second.amount)} (${paymentId})`;
    const restsOn = [first.id, second.id].map((id) => ({ kind: 'payment' as const, id }));
    const action: ActionInput =
      second.status === 'scheduled'
        ? {
            step: 'hold',
            kind: 'payment.hold',
            title: `Hold the payment of ${about}`,
            risk: 'low',
            paymentId,
            reason,
            restsOn,
          }
        : {
            step: 'refund',
            kind: 'payment.refund',
            title: `Ask ${about} back`,
            risk: 'medium',
            paymentId,
            reason,
            restsOn,
          };
    return {
      summary: `${about} of ${second.bookedOn} seems to pay what ${first.id} of ${first.bookedOn} pays, ${shownMoney(first.amount)}: ${why}. ${action.title}.`,
      method:
        `Same payee, amounts at most ${inPercent(config.amountTolerance)} % apart, at most ${config.withinDays} days apart; and the same number as reference, one with a slip, or the same purchase order. ` +
        'Left out: two different purchase orders, instalments, standing payments, parts of an order that are together not more than it. What has not left is held, what has is asked back.',
      actions: [action],
      preconditions: {
        first: `${first.id} ${first.status}`,
        second: `${second.id} ${second.status}`,
        amount: second.amount.amount,
        why,
      },
    };
  },
  async verify({ erp, trigger: { paymentId } }) {
    const status = (await erp.get('payment', paymentId))?.status ?? 'unknown';
    return { ok: status === 'held' || status.startsWith('refund'), note: `the payment is ${status} in the ERP` };
  },
});

export const duplicatePayment = defineWatcher({
  ...{
    key: 'duplicate-payment',
    version: 1,
    title: 'Duplicate payments',
    config: Config,
    kind: 'payment',
    investigate,
  },
  lists: [{}],
  // What makes a double is the record that comes second.
  rereads: 'never',
  judge: judgePayments,
});

/** All payments of each supplier that has a new one: the other half of a pair may be old. */
async function judgePayments(
  of: Watching<Config>,
  payments: readonly ErpRecord<'payment'>[],
): Promise<readonly Trouble[]> {
  const recent = payments.filter(({ direction, bookedOn }) => direction === 'out' && bookedOn >= horizon(of));
  const suppliers = new Set(recent.flatMap(({ supplierId }) => supplierId ?? []));
  const troubles: Trouble[] = [];
  for (const supplierId of suppliers)
    for (const { first, second, why } of await twinsOf(of, supplierId))
      troubles.push({
        id: second.id,
        summary: `payment ${second.id} of ${shownMoney(second.amount)} seems to pay what ${first.id} pays: ${why}`,
        trigger: { paymentId: second.id },
      });
  return troubles;
}

async function twinsOf(
  of: { readonly erp: ErpReads; readonly config: Config; readonly today: string },
  supplierId: string,
): Promise<readonly Twins[]> {
  const payments = await readAll(of.erp, 'payment', { where: { supplierId }, most: 10_000 });
  const near = twinsAmong(payments, of.config).filter(({ second }) => second.bookedOn >= horizon(of));
  const doubles: Twins[] = [];
  for (const twins of near) if (!(await isInParts(of.erp, twins, payments))) doubles.push(twins);
  return doubles;
}

async function isInParts(
  erp: ErpReads,
  { first, second }: Twins,
  payments: readonly ErpRecord<'payment'>[],
): Promise<boolean> {
  const { purchaseOrderId } = second;
  if (purchaseOrderId === null || purchaseOrderId !== first.purchaseOrderId) return false;
  const order = await erp.get('purchaseOrder', purchaseOrderId);
  const parts = payments.filter((one) => one.purchaseOrderId === purchaseOrderId && one.status !== 'cancelled');
  const sum = parts.reduce((total, { amount }) => total + amount.amount, 0);
  return order !== undefined && sum <= order.total.amount * ROUNDING;
}

function horizon({ today, config }: { readonly today: string; readonly config: Config }): string {
  return dayAfter(today, -config.lookBackDays);
}

function shortOf({ id, status, amount, bookedOn }: ErpRecord<'payment'>) {
  return { id, status, amount, bookedOn };
}

/**
 * Watches customers' invoices that are due and not paid, and proposes a reminder; after reminders in vain, or a broken
 * promise, that an agent takes it up with the customer in their conversation.
 *
 * Overdue is what is still open `graceDays` after its due date, or `promiseGraceDays` after the day payment was promised
 * for. Not overdue: what is disputed, what was reminded less than `remindEveryDays` ago, and where at most `tolerance` of the
 * total is missing. Partial payments count: what is owed is the total less what came in (the invoice's own sum in the ERP).
 */
import { z } from 'zod';
import { daysBetween } from '../../domain/days.ts';
import { localDate } from '../../domain/local-time.ts';
import { shownMoney } from '../../domain/money.ts';
import { ErpId, type ErpRecord } from '../../domain/schemas/erp-records.ts';
import type { ActionInput } from '../../domain/schemas/investigations.ts';
import { inPercent, less, readAll, seen } from '../evidence.ts';
import { defineInvestigator, dismiss } from '../investigate.ts';
import { defineWatcher, watching } from '../watch.ts';
import { overdueOf, type Overdue, type Patience } from './ageing.ts';

const Config = z.strictObject({
  ...watching({ restFor: '7d' }),
  graceDays: z.int().min(1).max(90).default(7),
  promiseGraceDays: z.int().min(1).max(30).default(2),
  remindEveryDays: z.int().min(1).max(90).default(7),
  tolerance: z.number().min(0).max(0.5).default(0.02),
  /** So many reminders in vain, then an agent is attached to the customer's conversation. */
  remindersBeforeTalk: z.int().min(0).max(10).default(2),
  /** Which agent talks; it says one thing, `messages` of its config. */
  agent: z.enum(['follow-up']).default('follow-up'),
});
type Config = z.infer<typeof Config>;

const Trigger = z.object({ invoiceId: ErpId });

const investigate = defineInvestigator({
  config: Config,
  trigger: Trigger,
  steps: {
    async invoice({ erp, trigger: { invoiceId }, config, tenant: { timeZone }, now }) {
      const invoice = await erp.get('invoice', invoiceId);
      const today = localDate(now, timeZone);
      const overdue = invoice === undefined ? null : overdueOf(invoice, { today, timeZone, patience: config });
      const note = seen(now, `erp: invoice ${invoiceId}`);
      const evidence =
        invoice === undefined
          ? []
          : [
              note('total', invoice.total),
              note('paid', invoice.paid),
              note('due on', invoice.dueOn),
              note('days past due', Math.max(0, daysBetween(invoice.dueOn, today)), 'days'),
              note('reminders sent', invoice.remindersSent),
              note('payment promised for', invoice.promise?.on ?? null),
            ];
      return { facts: { invoice: invoice === undefined ? null : shortOf(invoice), overdue }, evidence };
    },
    async customer({ erp, trigger: { invoiceId }, tenant: { timeZone }, now }) {
      const invoice = await erp.get('invoice', invoiceId);
      if (invoice === undefined) return { facts: { conversation: null }, evidence: [] };
      const { customerId } = invoice;
      const [customer, open, payments] = await Promise.all([
        erp.get('customer', customerId),
        readAll(erp, 'invoice', { where: { customerId, status: 'open' } }),
        readAll(erp, 'payment', { where: { invoiceId } }),
      ]);
      const due = open.filter(({ dueOn }) => dueOn < localDate(now, timeZone));
      const owed = due.reduce((sum, { total, paid }) => sum + less(total, paid).amount, 0);
      const note = seen(now, `erp: invoices and payments of ${customerId}`);
      return {
        facts: { conversation: customer?.conversationId ?? null },
        evidence: [
          note('invoices of this customer that are due', due.length),
          note('owed in all of them', { amount: owed, currency: invoice.total.currency }),
          ...payments.slice(-10).map(({ amount, bookedOn }) => note(`partial payment of ${bookedOn}`, amount)),
        ],
      };
    },
  },
  propose({ config, trigger: { invoiceId }, facts: { invoice: found, customer } }) {
    const { invoice, overdue } = found;
    if (invoice === null || overdue === null) return dismiss('it is paid, promised, disputed or reminded by now');
    const { conversation } = customer;
    const isInVain = invoice.remindersSent >= config.remindersBeforeTalk || overdue.brokenPromise !== null;
    const talks = isInVain && conversation !== null;
    const text = wordsFor(invoice.number, overdue);
    const action: ActionInput = talks
      ? {
          ...{
            step: 'talk',
            kind: 'agent.attach',
            title: `Have ${config.agent} take invoice ${invoice.number} up with the customer`,
          },
          ...{ risk: 'medium', agent: config.agent, subject: `conversation/${conversation}` as const },
          config: { messages: [text], maxFollowUps: 1 },
        }
      : {
          ...{
            step: 'remind',
            kind: 'reminder.send',
            title: `Send reminder ${invoice.remindersSent + 1} for invoice ${invoice.number}`,
          },
          ...{ risk: 'low', invoiceId, text, restsOn: [{ kind: 'invoice', id: invoiceId }] },
        };
    return {
      summary: `${shownMoney(overdue.owed)} of invoice ${invoice.number} are ${overdue.days} days past due${brokenWords(overdue)}. ${action.title}.`,
      method:
        `Owed = total − paid, as the invoice stands in the ERP. Overdue: ${config.graceDays} days past the due date, or ${config.promiseGraceDays} past a promised one; ` +
        `not if disputed, reminded within ${config.remindEveryDays} days, or at most ${inPercent(config.tolerance)} % is missing. ` +
        `An agent talks to the customer after ${config.remindersBeforeTalk} reminders or a broken promise, where there is a conversation.`,
      actions: [action],
      preconditions: {
        owed: overdue.owed.amount,
        brokenPromise: overdue.brokenPromise,
        remindersSent: invoice.remindersSent,
        conversation,
      },
    };
  },
  async verify({ erp, trigger: { invoiceId }, proposal }) {
    if (!proposal.actions.some(({ kind }) => kind === 'reminder.send'))
      return { ok: true, note: 'the agent is attached; what it achieves shows in its own run' };
    const before = Number(proposal.preconditions['remindersSent'] ?? 0);
    const invoice = await erp.get('invoice', invoiceId);
    const ok = invoice !== undefined && invoice.remindersSent > before;
    return {
      ok,
      note: ok ? `the ERP counts ${invoice.remindersSent} reminders` : 'the ERP does not count the reminder',
    };
  },
});

export const overdueInvoice = defineWatcher({
  ...{ key: 'overdue-invoice', version: 1, title: 'Overdue invoices', config: Config, kind: 'invoice', investigate },
  lists: [{ status: 'open' }],
  rereads: 'daily',
  async judge({ config, today, timeZone }, invoices) {
    const patience: Patience = config;
    return Promise.resolve(
      invoices.flatMap((invoice) => {
        const overdue = overdueOf(invoice, { today, timeZone, patience });
        if (overdue === null) return [];
        const summary = `invoice ${invoice.number}: ${shownMoney(overdue.owed)} are ${overdue.days} days past due${brokenWords(overdue)}`;
        return [{ id: invoice.id, summary, trigger: { invoiceId: invoice.id } }];
      }),
    );
  },
});

function shortOf({ number, remindersSent }: ErpRecord<'invoice'>) {
  return { number, remindersSent };
}

function brokenWords({ brokenPromise }: Overdue): string {
  return brokenPromise === null ? '' : `, and payment promised for ${brokenPromise} did not come`;
}

function wordsFor(number: string, { owed, days, brokenPromise }: Overdue): string {
  const promised = brokenPromise === null ? '' : ` You had kindly announced the payment for ${brokenPromise}.`;
  return (
    `Our invoice ${number} has been due for ${days} days; ${shownMoney(owed)} are still open.${promised} ` +
    'Please arrange the payment, or tell us if something is not right with it. If you have just paid, thank you: nothing more is needed.'
  );
}

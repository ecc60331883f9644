/**
 * Watches open deals in which nothing happens any more, and proposes that `follow-up` writes to the customer; where there
 * is no conversation, that a person calls.
 *
 * Stalled is an open deal without activity of either side for `quietDays`, for which no next step lies ahead; a step that
 * was planned and passed counts as missed after `missedStepDays`. Both dates are the deal's own in the ERP.
 */
import { z } from 'zod';
import { daysBetween } from '../../domain/days.ts';
import { localDate } from '../../domain/local-time.ts';
import { ErpId, type ErpRecord } from '../../domain/schemas/erp-records.ts';
import type { ActionInput } from '../../domain/schemas/investigations.ts';
import { readAll, seen } from '../evidence.ts';
import { defineInvestigator, dismiss } from '../investigate.ts';
import { defineWatcher, watching } from '../watch.ts';

const Config = z.strictObject({
  ...watching({ restFor: '21d' }),
  quietDays: z.int().min(2).max(365).default(14),
  missedStepDays: z.int().min(0).max(60).default(2),
});
type Config = z.infer<typeof Config>;

const Trigger = z.object({ dealId: ErpId });
const OPEN_STAGES = ['new', 'qualified', 'proposal', 'negotiation'] as const;

/** Days without activity; null when it is not stalled. */
function quietDaysOf(
  { stage, lastActivityAt, nextStepOn }: ErpRecord<'deal'>,
  { today, timeZone, config }: { readonly today: string; readonly timeZone: string; readonly config: Config },
): number | null {
  if (!OPEN_STAGES.some((open) => open === stage)) return null;
  if (nextStepOn !== null && daysBetween(nextStepOn, today) <= config.missedStepDays) return null;
  const days = daysBetween(localDate(lastActivityAt, timeZone), today);
  return days < config.quietDays ? null : days;
}

const investigate = defineInvestigator({
  config: Config,
  trigger: Trigger,
  steps: {
    async deal({ erp, trigger: { dealId }, config, tenant: { timeZone }, now }) {
      const deal = await erp.get('deal', dealId);
      if (deal === undefined) return { facts: { deal: null }, evidence: [] };
      const { title, stage, value, nextStepOn, lastActivityAt, customerId } = deal;
      const customer = await erp.get('customer', customerId);
      const invoices = await readAll(erp, 'invoice', { where: { customerId, status: 'open' } });
      const isDisputed = invoices.some((invoice) => invoice.isDisputed);
      const today = localDate(now, timeZone);
      const note = seen(now, `erp: deal ${dealId}`);
      return {
        facts: {
          deal: {
            ...{ title, stage, nextStepOn, isDisputed, lastOn: localDate(lastActivityAt, timeZone) },
            quietDays: quietDaysOf(deal, { today, timeZone, config }),
            conversation: deal.conversationId ?? customer?.conversationId ?? null,
          },
        },
        evidence: [
          note('stage', stage),
          note('value', value),
          note('last activity', lastActivityAt),
          note('days since then', daysBetween(localDate(lastActivityAt, timeZone), today), 'days'),
          note('next step', nextStepOn),
          seen(now, `erp: invoices of ${customerId}`)('disputes an invoice', isDisputed),
        ],
      };
    },
  },
  propose({ config, trigger: { dealId }, facts: { deal: found } }) {
    const { deal } = found;
    if (deal?.quietDays == null) return dismiss('the deal moved, is over, or its next step lies ahead');
    // A customer with a complaint is not written to by an agent as if nothing were.
    const talks = deal.conversation !== null && !deal.isDisputed;
    const action: ActionInput = talks
      ? {
          step: 'follow-up',
          kind: 'agent.attach',
          title: `Have follow-up write to the customer of ${dealId}`,
          risk: 'low',
          agent: 'follow-up',
          subject: `conversation/${deal.conversation ?? ''}`,
        }
      : {
          step: 'call',
          kind: 'person.confirm',
          title: `Somebody calls the customer of ${dealId}`,
          risk: 'low',
          within: '7d',
          question: `Has somebody called the customer of ${dealId} and noted the next step?`,
        };
    return {
      summary: `${deal.title} (${dealId}, ${deal.stage}) has been quiet for ${deal.quietDays} days, and no next step lies ahead. ${action.title}.`,
      method:
        `Quiet = days since the deal's last activity in the ERP, at least ${config.quietDays}; a next step that passed more than ${config.missedStepDays} days ago is none. ` +
        'An agent writes where there is a conversation and the customer disputes no invoice; else a person calls.',
      actions: [action],
      preconditions: { stage: deal.stage, lastOn: deal.lastOn, nextStepOn: deal.nextStepOn, talks },
    };
  },
});

export const stalledDeal = defineWatcher({
  ...{ key: 'stalled-deal', version: 1, title: 'Stalled deals', config: Config, kind: 'deal', investigate },
  lists: OPEN_STAGES.map((stage) => ({ stage })),
  rereads: 'daily',
  async judge(of, deals) {
    return Promise.resolve(
      deals.flatMap((deal) => {
        const days = quietDaysOf(deal, of);
        if (days === null) return [];
        const summary = `deal ${deal.id} (${deal.stage}) has been quiet for ${days} days`;
        return [{ id: deal.id, summary, trigger: { dealId: deal.id } }];
      }),
    );
  },
});

/**
 * Watches shipments that will not come when the customer was told, and proposes a new date and to tell it; what is
 * lost is sent anew.
 *
 * Late is what has not arrived `graceDays` after the promised day, what the carrier expects more than `forecastDays`
 * after it, and what is under way without news for `silentDays`; after `lostDays` it is taken for lost. Not late:
 * what was replaced. The new date is the carrier's forecast, else what this customer's deliveries usually take
 * (lateness.ts).
 */
import { z } from 'zod';
import { localDate } from '../../domain/local-time.ts';
import { ErpId, type ErpRecord } from '../../domain/schemas/erp-records.ts';
import type { ActionInput } from '../../domain/schemas/investigations.ts';
import type { ErpReads } from '../../erp/erp.ts';
import { readAll, seen } from '../evidence.ts';
import { defineInvestigator, dismiss } from '../investigate.ts';
import { defineWatcher, watching, type Trouble } from '../watch.ts';
import { LATEST_DELIVERIES, latenessOf, newDay, silentDaysOf, usualTransit } from './lateness.ts';

const Config = z.strictObject({
  ...watching({ restFor: '3d' }),
  graceDays: z.int().min(0).max(30).default(1),
  forecastDays: z.int().min(0).max(30).default(1),
  silentDays: z.int().min(1).max(60).default(7),
  lostDays: z.int().min(2).max(120).default(14),
  transitDays: z.int().min(1).max(60).default(3),
});

const Trigger = z.object({ shipmentId: ErpId });

const investigate = defineInvestigator({
  config: Config,
  trigger: Trigger,
  steps: {
    async shipment({ erp, trigger: { shipmentId }, config, tenant: { timeZone }, now }) {
      const shipment = await erp.get('shipment', shipmentId);
      if (shipment === undefined || (await isReplaced(erp, shipment)))
        return { facts: { shipment: null }, evidence: [] };
      const today = localDate(now, timeZone);
      const { status, carrier, promisedOn, expectedOn, orderId, lastScanAt } = shipment;
      const note = seen(now, `erp: shipment ${shipmentId}`);
      return {
        facts: {
          shipment: {
            today,
            status,
            promisedOn,
            expectedOn,
            orderId,
            lateness: latenessOf(shipment, { today, timeZone, tolerance: config }),
          },
        },
        evidence: [
          note('status', status),
          note('carrier', carrier),
          note('promised for', promisedOn),
          note('carrier expects it on', expectedOn),
          note('last news of the carrier', lastScanAt),
          note('days without news', silentDaysOf(shipment, { today, timeZone }), 'days'),
        ],
      };
    },
    async customer({ erp, trigger: { shipmentId }, tenant: { timeZone }, now }) {
      const shipment = await erp.get('shipment', shipmentId);
      if (shipment === undefined) return { facts: { conversation: null, transit: null }, evidence: [] };
      const { customerId } = shipment;
      const [customer, others] = await Promise.all([
        erp.get('customer', customerId),
        readAll(erp, 'shipment', { where: { customerId, status: 'delivered' } }),
      ]);
      const transit = usualTransit(others, timeZone);
      const note = seen(now, `erp: ${others.length} deliveries to ${customerId}`);
      return {
        facts: { conversation: customer?.conversationId ?? null, transit },
        evidence: [note('a delivery to this customer usually takes', transit, 'days')],
      };
    },
  },
  propose({ config, trigger: { shipmentId }, facts: { shipment: found, customer } }) {
    const { shipment } = found;
    if (shipment?.lateness == null) return dismiss('it arrived, was cancelled or replaced, or its date was moved');
    const { lateness, promisedOn, today } = shipment;
    const isAnew = lateness === 'lost';
    const day = newDay(shipment, { today, transit: customer.transit ?? config.transitDays, isAnew });
    const restsOn = [{ kind: 'shipment' as const, id: shipmentId }];
    const reason = `the shipment is ${lateness === 'lost' ? 'taken for lost' : lateness}`;
    const act: ActionInput = isAnew
      ? {
          step: 'reorder',
          kind: 'shipment.reorder',
          title: `Send ${shipmentId} anew, for ${day}`,
          risk: 'medium',
          shipmentId,
          promisedOn: day,
          reason,
          restsOn,
        }
      : {
          step: 'promise',
          kind: 'shipment.promise',
          title: `Promise ${shipmentId} for ${day} in place of ${promisedOn}`,
          risk: 'low',
          shipmentId,
          promisedOn: day,
          before: promisedOn,
          reason,
          restsOn,
        };
    const text = `Your order ${shipment.orderId} is delayed, and we are sorry. ${isAnew ? 'We send it again, and it' : 'It'} should be with you on ${day}.`;
    const tell: ActionInput =
      customer.conversation === null
        ? {
            step: 'tell',
            kind: 'person.confirm',
            title: 'Somebody tells the customer',
            risk: 'low',
            question: `Has the customer been told? “${text}”`,
            within: '2d',
          }
        : {
            step: 'tell',
            kind: 'customer.notify',
            title: 'Tell the customer',
            risk: 'low',
            conversation: customer.conversation,
            text,
          };
    return {
      summary: `${shipmentId}, promised for ${promisedOn}, is ${lateness}. ${act.title}, and tell the customer.`,
      method:
        `Late: not there though more than ${config.graceDays} day(s) have passed since the promised one, expected more than ${config.forecastDays} day(s) after it, or without news for ${config.silentDays} days; lost after ${config.lostDays}. ` +
        `New date: the carrier's forecast while it lies ahead, else today and ${customer.transit ?? config.transitDays} days (${customer.transit === null ? 'the configured time' : `the median of this customer’s deliveries, the latest ${LATEST_DELIVERIES} at most`}${isAnew ? ', and one to pack' : ''}).`,
      actions: [act, tell],
      preconditions: {
        status: shipment.status,
        promisedOn,
        expectedOn: shipment.expectedOn,
        lateness,
        day,
        conversation: customer.conversation,
      },
    };
  },
  async verify({ erp, trigger: { shipmentId }, proposal }) {
    const shipment = await erp.get('shipment', shipmentId);
    const isAnew = proposal.actions.some(({ kind }) => kind === 'shipment.reorder');
    const ok =
      shipment !== undefined &&
      (isAnew ? await isReplaced(erp, shipment) : shipment.promisedOn !== proposal.preconditions['promisedOn']);
    return { ok, note: ok ? 'the ERP has the new date' : 'the ERP does not have the new date' };
  },
});

export const lateShipment = defineWatcher({
  ...{ key: 'late-shipment', version: 1, title: 'Late shipments', config: Config, kind: 'shipment', investigate },
  lists: [{ status: 'preparing' }, { status: 'in_transit' }, { status: 'lost' }],
  rereads: 'daily',
  async judge({ config, erp, today, timeZone }, shipments) {
    const troubles: Trouble[] = [];
    for (const shipment of shipments) {
      const lateness = latenessOf(shipment, { today, timeZone, tolerance: config });
      if (lateness === null || (await isReplaced(erp, shipment))) continue;
      const { id, promisedOn } = shipment;
      troubles.push({
        id,
        summary: `shipment ${id}, promised for ${promisedOn}, is ${lateness}`,
        trigger: { shipmentId: id },
      });
    }
    return troubles;
  },
});

/** @throws {ErpError} */
async function isReplaced(erp: ErpReads, { id, orderId }: ErpRecord<'shipment'>): Promise<boolean> {
  const others = await readAll(erp, 'shipment', { where: { orderId } });
  return others.some(({ replaces, status }) => replaces === id && status !== 'cancelled');
}

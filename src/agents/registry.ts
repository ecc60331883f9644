/** Which agents there are. Adding one: its folder, and one line here. */
import { BUSINESS, type Subject } from '../domain/ids.ts';
import type { Agent } from './define-agent.ts';
import { appointmentReminder } from './appointment-reminder/appointment-reminder.ts';
import { duplicatePayment } from './duplicate-payment/duplicate-payment.ts';
import { followUp } from './follow-up/follow-up.ts';
import { lateShipment } from './late-shipment/late-shipment.ts';
import { leadQualification } from './lead-qualification/lead-qualification.ts';
import { notify } from './notify/notify.ts';
import { overdueInvoice } from './overdue-invoice/overdue-invoice.ts';
import { stalledDeal } from './stalled-deal/stalled-deal.ts';
import { stockout } from './stockout/stockout.ts';

/** On the business. */
export const WATCHERS: readonly Agent[] = [stockout, overdueInvoice, stalledDeal, duplicatePayment, lateShipment];
export const BUILT_IN: readonly Agent[] = [leadQualification, followUp, appointmentReminder, notify, ...WATCHERS];

export interface Registry {
  get(key: string): Agent | undefined;
  /** In order of registration. */
  list(): readonly Agent[];
  /** Those that could be attached to this subject and wake on events: their slots are where its events may have to go. */
  candidatesFor(subject: Subject): readonly Agent[];
}

/** @throws {Error} when two agents have one key: a mistake in the code. */
export function createRegistry(agents: readonly Agent[] = BUILT_IN): Registry {
  const byKey = new Map<string, Agent>(agents.map((agent) => [agent.key, agent]));
  if (byKey.size !== agents.length) throw new Error('two agents have the same key');
  const ofKind = { business: agents.filter(isFor('business')), conversation: agents.filter(isFor('conversation')) };
  return {
    get: (key) => byKey.get(key),
    list: () => agents,
    candidatesFor: (subject) => ofKind[subject === BUSINESS ? 'business' : 'conversation'],
  };
}

function isFor(kind: Agent['attachesTo']): (agent: Agent) => boolean {
  return ({ attachesTo, wakeOn }) => attachesTo === kind && wakeOn.length > 0;
}

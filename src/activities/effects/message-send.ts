/** Says something to the customer: the rules of contact, the channel's own rate, then the channel. */
import type { OutgoingMessage } from '../../channels/channel.ts';
import type { SendCounts } from '../../desk/desk.ts';
import { ARRIVED } from '../../domain/deliveries.ts';
import { earlierSends } from '../../domain/ids.ts';
import {
  CALENDAR_HORIZON_DAYS,
  FREQUENCY_SPAN_MS,
  maySend,
  movesOf,
  RATE_SPAN_MS,
  type SendQuestion,
} from '../../domain/may-send.ts';
import type { Effect } from '../../domain/schemas/effects.ts';
import type { Performed } from '../../workflows/activity-types.ts';
import type { EffectKindPerformer, Performing } from './performer.ts';
import { zoneOf } from '../tick-view.ts';

const DAY_MS = 86_400_000;
/** Each travels with the run: a fortnight that is closed every night and holiday says enough. */
const MOVES_TOLD = 12;
/** What holds a message back while its channel refuses everything of ours. */
export const CHANNEL_SHUT = 'channel_shut';

type MessageSend = Extract<Effect, { kind: 'message.send' }>;

export const messageSend: EffectKindPerformer = {
  async before(performing) {
    if (await hasArrived(performing)) return { result: 'refused', reason: ARRIVED };
    const [counts, holidays] = await Promise.all([sendCounts(performing), holidaysOf(performing)]);
    const question = questionOf(performing, { counts, holidays });
    const decision = maySend(question);
    if (decision.decision === 'never') return { result: 'refused', reason: decision.reason };
    if (decision.decision === 'defer') {
      const moves = movesOf(question).slice(0, MOVES_TOLD);
      const { reason, until: dueAt } = decision;
      return { result: 'parked', reason, dueAt, ...(moves.length > 1 ? { moves } : {}) };
    }
    return (await whileShut(performing)) ?? (await overContactRate(performing)) ?? overRate(performing);
  },

  async call(performing) {
    const { channel, to, row, signal } = performing;
    if (channel === undefined || to === null) throw new Error('a message without a channel passed maySend');
    return channel.send({
      to,
      reference: row.reference,
      content: contentOf(performing),
      signal,
    });
  },

  async afterwards({ deps, channel, conversation, input }, receipt) {
    if (channel === undefined) return;
    const { desk } = deps;
    const { tenant } = input.run;
    await desk.shutChannels.reopen({ tenant, channel: channel.key });
    const [contact, names = []] = [conversation?.contact?.id, receipt?.names];
    if (contact !== undefined && names.length > 0)
      await desk.conversations.learnNames({ tenant, channel: channel.key, contact, names });
  },

  async shut({ deps, channel, input }, code) {
    if (channel === undefined) return undefined;
    return deps.desk.shutChannels.shut({ tenant: input.run.tenant, channel: channel.key, code });
  },

  async marketingStopped({ deps, conversation, now }) {
    const contact = conversation?.contact?.id;
    if (contact !== undefined)
      await deps.desk.conversations.stopMarketing({ contact, at: new Date(now).toISOString() });
  },

  async lookUp({ channel, to, row, signal }) {
    if (channel === undefined || to === null) return 'cannot_know';
    const { text = null } = sendOf(row.effect);
    const lookup = await channel.findSent({
      to,
      reference: row.reference,
      text,
      since: row.sendingSince ?? '',
      signal,
    });
    switch (lookup.found) {
      case 'yes':
        return { made: true, providerId: lookup.providerId };
      case 'no':
        return { made: false };
      case 'cannot_know':
        return 'cannot_know';
    }
  },
};

/** Reported as failed, and then as delivered: it goes out again for nobody. */
async function hasArrived({ deps, input }: Performing): Promise<boolean> {
  const earlier = earlierSends(input.key);
  return earlier.length > 0 && deps.desk.ledger.haveArrived(earlier);
}

const NOTHING_COUNTED: SendCounts = { inConversation: 0, proactiveToContact: 0 };

/** What the caps count besides this very send, which an attempt that died may have begun. */
async function sendCounts({ deps, input, conversation, now }: Performing): Promise<SendCounts> {
  if (conversation === null) return NOTHING_COUNTED;
  return deps.desk.conversations.sendCounts({
    tenant: input.run.tenant,
    id: conversation.id,
    conversationSince: new Date(now - RATE_SPAN_MS).toISOString(),
    proactiveSince: new Date(now - FREQUENCY_SPAN_MS).toISOString(),
    except: [...earlierSends(input.key), input.key],
  });
}

/** Of the person's country, from yesterday on. Only looked up for a message that they could hold back. */
async function holidaysOf({ deps, input, conversation, now }: Performing): Promise<readonly string[]> {
  const { policy, run } = input;
  if (!sendOf(input.effect).proactive || policy.holidays !== 'observe') return [];
  const country = policy.country ?? conversation?.contact?.country ?? deps.tenant(run.tenant)?.country;
  if (country === undefined) return [];
  const [from, to] = [now - DAY_MS, now + (CALENDAR_HORIZON_DAYS + 1) * DAY_MS];
  return deps.holidays.between(country, new Date(from).toISOString(), new Date(to).toISOString());
}

function questionOf(
  { deps, input, conversation, channel, now }: Performing,
  { counts, holidays }: { readonly counts: SendCounts; readonly holidays: readonly string[] },
): SendQuestion {
  const { run, policy } = input;
  const tenant = deps.tenant(run.tenant);
  const contact = conversation?.contact ?? null;
  return {
    now: new Date(now).toISOString(),
    send: sendOf(input.effect),
    contact:
      contact === null || tenant === undefined
        ? null
        : {
            optedOut: contact.optedOutAt !== null,
            marketingStopped: contact.marketingStoppedAt !== null,
            timeZone: zoneOf(policy, contact, tenant),
            holidays,
          },
    conversation: {
      channel: channel ?? null,
      lastInboundAt: conversation?.lastInboundAt ?? null,
      closed: conversation?.closedAt != null,
    },
    policy,
    counts,
  };
}

/** Where the provider has refused our token or our account, one message at a time is let through to see. */
async function whileShut({ deps, channel, input, now }: Performing): Promise<Performed | null> {
  if (channel === undefined) return null;
  const wait = await deps.desk.shutChannels.wait({ tenant: input.run.tenant, channel: channel.key });
  return wait === 0 ? null : { result: 'parked', reason: CHANNEL_SHUT, dueAt: new Date(now + wait).toISOString() };
}

/** One bucket a person and channel: whatever number of agents and conversations writes to them. */
async function overContactRate({ deps, channel, conversation, input, now }: Performing): Promise<Performed | null> {
  const contact = conversation?.contact;
  if (channel?.perContact === undefined || contact == null) return null;
  const key = `${input.run.tenant}/${channel.key}/contact/${contact.id}`;
  const wait = await deps.desk.limits.take({ key, ...channel.perContact });
  return wait === 0 ? null : { result: 'parked', reason: 'contact_rate', dueAt: new Date(now + wait).toISOString() };
}

/** One bucket a channel, shared by every process: a burst of one second, then its rate. */
async function overRate({ deps, channel, input, now }: Performing): Promise<Performed | null> {
  if (channel === undefined) return null;
  const { sendsPerSecond } = channel;
  const wait = await deps.desk.limits.take({
    key: `${input.run.tenant}/${channel.key}`,
    perSecond: sendsPerSecond,
    burst: sendsPerSecond,
  });
  return wait === 0 ? null : { result: 'parked', reason: 'rate_limited', dueAt: new Date(now + wait).toISOString() };
}

/** As free text, or as the template that the rules put in its place. The caps and the calendar have had their say. */
function contentOf(performing: Performing): OutgoingMessage['content'] {
  const { text } = sendOf(performing.input.effect);
  const decision = maySend(questionOf(performing, { counts: NOTHING_COUNTED, holidays: [] }));
  if (decision.decision === 'template') return { kind: 'template', template: decision.template };
  if (text === undefined) throw new Error('a message without text passed maySend');
  return { kind: 'text', text };
}

function sendOf(effect: Effect): MessageSend {
  if (effect.kind !== 'message.send') throw new Error(`${effect.kind} is not a message`);
  return effect;
}

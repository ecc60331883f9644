/**
 * Re-opens a lead that went quiet: one message at a humane local time, growing gaps, a few at most. The customer's reply
 * is the goal and ends it; what to answer is for people, or for another agent. Rules, no language model.
 */
import { z } from 'zod';
import { ms } from '../../domain/durations.ts';
import { nextLocal, WORKING_DAYS, type Weekday } from '../../domain/local-time.ts';
import { MAX_INTERVAL_MS, type Outcome } from '../../domain/outcomes.ts';
import { TemplateMessage } from '../../domain/schemas/templates.ts';
import { WallClock } from '../../domain/schemas/policy.ts';
import { Duration } from '../../domain/schemas/values.ts';
import { defineAgent, type Tick } from '../define-agent.ts';
import { say } from '../effects.ts';
import { Language, languageSpoken, LocalText, textIn } from '../language.ts';
import { finish, reschedule } from '../outcomes.ts';
import { PHRASES } from './phrases.ts';

const weekday = z
  .int()
  .min(1)
  .max(7)
  .transform((day) => day as Weekday);
/** Nothing sooner than this: the very instant of a due time is not one to plan. */
const SOON_MS = 60_000;
/** "Two days later at 10:00" may be half a day less or more than 48 hours. */
const HALF_A_DAY_MS = 12 * 3_600_000;

const Config = z.strictObject({
  /** Wall-clock time in the contact's zone. */
  at: WallClock.default('10:00'),
  /** 1 is Monday, 7 is Sunday. */
  weekdays: z
    .array(weekday)
    .min(1)
    .max(7)
    .default([...WORKING_DAYS]),
  /** Silence before the first message; each further one waits `factor` times as long as the one before. */
  quietFor: Duration.default('2d'),
  factor: z.number().min(1).max(10).default(2),
  /** Messages without a reply before it gives up. */
  maxFollowUps: z.int().min(1).max(10).default(3),
  /** In order, in place of the built-in texts; the last one serves for all that come after it. */
  messages: z.array(LocalText).min(1).max(10).optional(),
  /** Sent in place of the text where the channel takes free text no longer, as WhatsApp after 24 hours. */
  template: TemplateMessage.optional(),
  /** Spoken when neither the contact's locale nor the customer's words tell. */
  language: Language.default('en'),
});
type Config = z.infer<typeof Config>;

const State = z.strictObject({
  followUps: z.int(),
  planned: z.boolean(),
  iterations: z.int(),
  lastProcessedAt: z.iso.datetime().optional(),
});
type State = z.infer<typeof State>;
type FollowUpTick = Tick<Config, State>;

export const followUp = defineAgent({
  key: 'follow-up',
  version: 1,
  title: 'Follow-up',
  answers: false,
  attachesTo: 'conversation',
  config: Config,
  state: State,
  initialState: () => ({ followUps: 0, planned: false, iterations: 0 }),
  wakeOn: ['message.inbound'],
  policy: { onHumanMessage: 'end' },
  tick(tick) {
    const state: State = { ...tick.state, iterations: tick.state.iterations + 1, lastProcessedAt: tick.now };
    // What was there before the first wake-up is the silence we were attached for, unless it is what woke us.
    const replied =
      (state.planned || tick.why === 'event') && tick.events.some(({ type }) => type === 'message.inbound');
    if (replied) return finish({ status: 'EXITED_ON_INBOUND', reason: 'customer_replied', state });
    return state.planned ? due(tick, state) : plan(tick, { ...state, planned: true });
  },
});

/** First wake-up: the silence counts from the last message of either side. */
function plan(tick: FollowUpTick, state: State): Outcome {
  const since = [tick.conversation?.lastInboundAt, tick.conversation?.lastOutboundAt]
    .map((at) => Date.parse(at ?? ''))
    .filter(Number.isFinite);
  const quietSince = Math.max(0, ...since);
  return sleep(tick, state, quietSince + ms(tick.config.quietFor));
}

async function due(tick: FollowUpTick, state: State): Promise<Outcome> {
  const { config, conversation } = tick;
  if (conversation?.closed === true) return giveUp(state, 'the conversation is closed');
  const failed = tick.failedEffects.find(({ kind }) => kind === 'message.send');
  if (failed !== undefined) return giveUp(state, `a message could not be sent: ${failed.reason}`);
  if (state.followUps >= config.maxFollowUps) return giveUp(state, `no reply to ${state.followUps} messages`);
  // One that still waits to go out (quiet hours, nobody to write to) is not doubled.
  const waiting = tick.pendingEffects.some(({ effect }) => effect.kind === 'message.send');
  const text = waiting ? null : textOf(tick, state, await languageSpoken(conversation, config.language));
  const next = text === null ? state : { ...state, followUps: state.followUps + 1 };
  const template = config.template === undefined ? {} : { template: config.template };
  const effects = text === null ? [] : [say(text, { proactive: true, marketing: true, ...template })];
  return sleep(tick, next, Date.parse(tick.now) + gapAfter(config, next.followUps), effects);
}

function textOf({ config, tenant }: FollowUpTick, { followUps }: State, language: Language): string {
  const own = config.messages?.[Math.min(followUps, config.messages.length - 1)];
  if (own !== undefined) return textIn(own, language);
  if (followUps === 0) return PHRASES[language].first(tenant.name);
  return followUps + 1 === config.maxFollowUps
    ? PHRASES[language].last(tenant.name)
    : PHRASES[language].next(tenant.name);
}

function sleep(tick: FollowUpTick, state: State, about: number, effects: ReturnType<typeof say>[] = []): Outcome {
  const { at, weekdays, maxFollowUps } = tick.config;
  const after = Math.max(about - HALF_A_DAY_MS, Date.parse(tick.now) + SOON_MS);
  const zone = tick.conversation?.timeZone ?? tick.tenant.timeZone;
  return reschedule({
    at: nextLocal(at, zone, { after: new Date(after).toISOString(), weekdays }),
    why:
      state.followUps >= maxFollowUps
        ? 'gives up if there is no reply'
        : `message ${state.followUps + 1} of ${maxFollowUps} if there is no reply`,
    state,
    effects,
  });
}

function giveUp(state: State, comment: string): Outcome {
  return finish({ status: 'COMPLETED', reason: 'gave_up', comment, state });
}

function gapAfter({ quietFor, factor }: Config, followUps: number): number {
  // A week below the furthest a run may plan: the next of a few weekdays may be that much later.
  return Math.min(ms(quietFor) * factor ** followUps, MAX_INTERVAL_MS - 8 * 86_400_000);
}

/**
 * Reminds of one appointment at exact local times, whoever else speaks in the conversation. An appointment that moves is
 * another one: detach and attach anew. Rules, no language model.
 */
import { z } from 'zod';
import { ms } from '../../domain/durations.ts';
import { localDaysBefore } from '../../domain/local-time.ts';
import { MAX_INTERVAL_MS, type Outcome } from '../../domain/outcomes.ts';
import { WallClock } from '../../domain/schemas/policy.ts';
import { TemplateMessage } from '../../domain/schemas/templates.ts';
import { Duration, Instant } from '../../domain/schemas/values.ts';
import { defineAgent, type Tick } from '../define-agent.ts';
import { say } from '../effects.ts';
import { Language, languageSpoken, LocalText, textIn } from '../language.ts';
import { finish, reschedule } from '../outcomes.ts';
import { PHRASES } from './phrases.ts';

/** Nothing sooner than this: the very instant of a due time is not one to plan. */
const SOON_MS = 5_000;
const A_DAY_MS = 86_400_000;

const Reminder = z.union([
  /** On the contact's clock, so many days before the day of the appointment. */
  z.strictObject({ daysBefore: z.int().min(0).max(365), at: WallClock }),
  z.strictObject({ before: Duration }),
]);

const Config = z.strictObject({
  startsAt: Instant,
  /** Such as `your visit to the dentist`. */
  what: LocalText.optional(),
  where: z.string().min(1).max(200).optional(),
  reminders: z
    .array(Reminder)
    .min(1)
    .max(10)
    .default([{ daysBefore: 1, at: '18:00' }, { before: '2h' }]),
  /** In place of the built-in text; `{when}` is the local date and time. */
  message: LocalText.optional(),
  /** Sent in place of the text where the channel takes free text no longer, as WhatsApp after 24 hours. */
  template: TemplateMessage.optional(),
  /** Spoken when neither the contact's locale nor the customer's words tell. */
  language: Language.default('en'),
});
type Config = z.infer<typeof Config>;

const State = z.strictObject({
  /** Up to here every reminder has been seen to; absent before the first wake-up, which makes up for none. */
  seenTo: z.iso.datetime().optional(),
  reminders: z.int(),
});
type State = z.infer<typeof State>;
type ReminderTick = Tick<Config, State>;

export const appointmentReminder = defineAgent({
  key: 'appointment-reminder',
  version: 1,
  title: 'Appointment reminder',
  answers: false,
  attachesTo: 'conversation',
  config: Config,
  state: State,
  initialState: () => ({ reminders: 0 }),
  wakeOn: [],
  /** A colleague who writes does not make the appointment go away. */
  policy: { onHumanMessage: 'ignore' },
  async tick(tick) {
    const { config, state, why } = tick;
    const now = Date.parse(tick.now);
    // This clock may be behind the one that says what is due.
    const reached = why === 'due' ? Math.max(now, Date.parse(tick.dueAt)) : now;
    const times = timesOf(config, zoneOf(tick));
    const seenTo = state.seenTo === undefined ? reached : Date.parse(state.seenTo);
    const isDue = times.some((at) => seenTo < at && at <= reached) && now < Date.parse(config.startsAt);
    const effects = isDue ? [await reminderFor(tick)] : [];
    const next = { seenTo: new Date(reached).toISOString(), reminders: state.reminders + effects.length };
    const ahead = times.filter((at) => at > reached);
    return ahead.length === 0 ? over(next, effects) : sleep(tick, ahead, next, effects);
  },
});

type Effects = ReturnType<typeof say>[];

/** One that still waits to go out is not doubled: it makes way for the newer one. */
function sleep(tick: ReminderTick, ahead: readonly number[], state: State, effects: Effects): Outcome {
  const [at = Infinity, ...later] = ahead;
  const now = Date.parse(tick.now);
  const waiting = tick.pendingEffects.filter(({ effect }) => effect.kind === 'message.send').map(({ key }) => key);
  return reschedule({
    at: new Date(Math.min(Math.max(at, now + SOON_MS), now + MAX_INTERVAL_MS - A_DAY_MS)).toISOString(),
    why: later.length === 0 ? 'the last reminder' : `a reminder, with ${later.length} after it`,
    state,
    effects,
    cancel: effects.length === 0 ? [] : waiting,
  });
}

function over(state: State, effects: Effects): Outcome {
  return state.reminders > 0
    ? finish({ status: 'COMPLETED', reason: 'goal_reached', state, effects })
    : finish({ status: 'COMPLETED', reason: 'gave_up', comment: 'no time to remind was left', state });
}

/** Before the appointment, in order, ms. */
function timesOf({ startsAt, reminders }: Config, zone: string): readonly number[] {
  const start = Date.parse(startsAt);
  const times = reminders.map((one) =>
    'before' in one
      ? start - ms(one.before)
      : Date.parse(localDaysBefore(startsAt, { days: one.daysBefore, time: one.at, zone })),
  );
  return [...new Set(times)].filter((at) => at < start).sort((a, b) => a - b);
}

async function reminderFor(tick: ReminderTick): Promise<ReturnType<typeof say>> {
  const { config, tenant, conversation } = tick;
  const language = await languageSpoken(conversation, config.language);
  const phrases = PHRASES[language];
  const when = localWhen(config.startsAt, { locale: phrases.locale, zone: zoneOf(tick) });
  const what = config.what === undefined ? phrases.appointment : textIn(config.what, language);
  const place = config.where === undefined ? '' : `, ${config.where}`;
  const text =
    config.message === undefined
      ? phrases.reminder(tenant.name, `${what}, ${when}${place}`)
      : textIn(config.message, language).replaceAll('{when}', when);
  const template = config.template === undefined ? {} : { template: config.template };
  return say(text, { proactive: true, notAfter: config.startsAt, ...template });
}

function localWhen(instant: string, { locale, zone }: { locale: string; zone: string }): string {
  return new Intl.DateTimeFormat(locale, {
    ...{ weekday: 'long', day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    timeZone: zone,
  }).format(new Date(instant));
}

function zoneOf({ conversation, tenant }: ReminderTick): string {
  return conversation?.timeZone ?? tenant.timeZone;
}

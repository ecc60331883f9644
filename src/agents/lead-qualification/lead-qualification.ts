/**
 * Asks a new lead its configured questions, one at a time, and gives what it learned to the team. Rules, no language
 * model. One message per wake-up, whatever came in; honest about being an automated assistant; never promises what it
 * has not passed on to a person.
 */
import { textOf } from '../../domain/contents.ts';
import { ms } from '../../domain/durations.ts';
import { localDate } from '../../domain/local-time.ts';
import { MAX_INTERVAL_MS, type Outcome } from '../../domain/outcomes.ts';
import type { EffectInput } from '../../domain/schemas/effects.ts';
import { defineAgent, type Tick } from '../define-agent.ts';
import { handOff, note, say } from '../effects.ts';
import { languageOfLocale, languageOfWords } from '../language.ts';
import { finish, reschedule } from '../outcomes.ts';
import { Config, INITIAL, State, type Question } from './schemas.ts';
import { listen, type Heard } from './listen.ts';
import { summary } from './summary.ts';
import { PHRASES } from './phrases/by-language.ts';
import { ask, followUpText, message, speakerOf } from './speak.ts';

/** Open questions kept for the hand-over: with as many letters each as `listen.ts` keeps, they fit beside twenty answers. */
const MAX_OPEN_QUESTIONS = 5;

type LeadTick = Tick<Config, State>;

export const leadQualification = defineAgent({
  key: 'lead-qualification',
  version: 1,
  title: 'Lead qualification',
  answers: true,
  attachesTo: 'conversation',
  config: Config,
  state: State,
  initialState: () => INITIAL,
  wakeOn: ['message.inbound'],
  tick(tick) {
    const contents = tick.events.flatMap((event) => (event.type === 'message.inbound' ? [event.data.content] : []));
    const state: State = { ...tick.state, iterations: tick.state.iterations + 1, lastProcessedAt: tick.now };
    const isSpokenTo = tick.conversation?.lastOutboundAt !== null;
    // Handed back by a human with nothing unanswered: the customer has just been spoken to, unless nobody wrote at all.
    if (contents.length === 0 && tick.humanStretch !== null)
      return isSpokenTo ? waitForAnswer(tick, state, []) : open(tick, state);
    if (contents.length === 0) return state.introduced ? silence(tick, state) : open(tick, state);
    const texts = contents.map(textOf).filter((text) => text !== null);
    // A hello that was held back, and taken back when the customer wrote first, has introduced nobody.
    const introduced = state.introduced && isSpokenTo;
    return answer(tick, { ...state, introduced, followUps: 0 }, texts, contents.length > texts.length);
  },
});

/** Attached before the customer has written: the first word is ours. */
function open(tick: LeadTick, state: State): Outcome {
  const speaker = speakerOf(tick, state);
  const [question] = unanswered(tick, state);
  if (question === undefined) return finish({ status: 'COMPLETED', reason: 'goal_reached', state });
  const text = message(speaker.phrases.hello(tick.tenant.name), ask(question, speaker));
  return waitForAnswer(tick, { ...state, introduced: true, asked: 1 }, [
    say(text, { proactive: true, ...templateOf(tick) }),
  ]);
}

/** The customer wrote. */
function answer(tick: LeadTick, before: State, texts: readonly string[], someUnreadable: boolean): Outcome {
  const state = { ...before, ...learnLanguage(tick, before, texts) };
  const heard = listen(texts, {
    unanswered: unanswered(tick, state),
    asked: state.asked,
    listening: { language: speakerOf(tick, state).language, today: localDate(tick.now, zoneOf(tick)) },
  });
  const next = remember(tick, state, heard);
  if (heard.wantsPerson) return toPerson(tick, next);
  if (heard.declines) return goodbye(tick, next);
  const [question] = unanswered(tick, next);
  if (question === undefined) return allAnswered(tick, next);
  return converse(tick, next, {
    heard,
    question,
    tellTextOnly: someUnreadable && !state.toldTextOnly,
    onlyUnreadable: texts.length === 0,
  });
}

function converse(
  tick: LeadTick,
  state: State,
  {
    heard,
    question,
    tellTextOnly,
    onlyUnreadable,
  }: { heard: Heard; question: Question; tellTextOnly: boolean; onlyUnreadable: boolean },
): Outcome {
  if (onlyUnreadable && !tellTextOnly && state.introduced) return waitForAnswer(tick, state, []);
  const speaker = speakerOf(tick, state);
  const { phrases } = speaker;
  const text = message(
    state.introduced ? null : phrases.hello(tick.tenant.name),
    heard.asksIfRobot && state.introduced ? phrases.isRobot(tick.tenant.name) : null,
    tellTextOnly ? phrases.textOnly : null,
    heard.asksPrice ? phrases.noPrices : heard.questions.length > 0 ? phrases.passedOn : null,
    state.introduced && Object.keys(heard.answers).length > 0 && heard.questions.length === 0 ? phrases.thanks : null,
    ask(question, speaker, { again: heard.unclear }),
  );
  const asked = heard.unclear ? state.asked + 1 : Math.max(state.asked, 1);
  const told =
    heard.questions.length === 0
      ? []
      : [note(`${PHRASES[tick.config.language].note.asked}: ${heard.questions.join(' / ')}`.slice(0, 4_000))];
  return waitForAnswer(tick, { ...state, introduced: true, asked, toldTextOnly: state.toldTextOnly || tellTextOnly }, [
    say(text),
    ...told,
  ]);
}

function remember(tick: LeadTick, state: State, heard: Heard): State {
  const [before] = unanswered(tick, state);
  const answers = { ...state.answers, ...heard.answers };
  const stillOpen = before !== undefined && !(before.id in answers);
  return {
    ...state,
    answers,
    asked: stillOpen ? state.asked : 0,
    unclear: heard.asSaid === null ? state.unclear : [...state.unclear, heard.asSaid],
    openQuestions: [...new Set([...state.openQuestions, ...heard.questions])].slice(-MAX_OPEN_QUESTIONS),
  };
}

function toPerson(tick: LeadTick, state: State): Outcome {
  const { phrases } = speakerOf(tick, state);
  return finish({
    status: 'COMPLETED',
    reason: 'handed_off',
    comment: 'the customer asked for a person',
    state,
    // Said first: once people hold the conversation, nothing of ours goes out.
    effects: [say(phrases.handedOff), handOver(tick, state, 'person')],
  });
}

function allAnswered(tick: LeadTick, state: State): Outcome {
  const { phrases } = speakerOf(tick, state);
  return finish({
    status: 'COMPLETED',
    reason: 'goal_reached',
    state,
    effects: [say(phrases.done), handOver(tick, state, 'done')],
  });
}

function goodbye(tick: LeadTick, state: State): Outcome {
  const { phrases } = speakerOf(tick, state);
  return finish({
    status: 'COMPLETED',
    reason: 'gave_up',
    comment: 'the customer is not interested',
    state,
    effects: [say(phrases.goodbye)],
  });
}

/** Nobody answered. An earlier message that still waits to go out (quiet hours) is not doubled. */
function silence(tick: LeadTick, state: State): Outcome {
  if (tick.conversation?.closed === true) return giveUp(tick, state, 'the conversation is closed');
  const failed = tick.failedEffects.find(({ kind }) => kind === 'message.send');
  if (failed !== undefined) return giveUp(tick, state, `a message could not be sent: ${failed.reason}`);
  if (tick.pendingEffects.some(({ effect }) => effect.kind === 'message.send')) return waitForAnswer(tick, state, []);
  if (state.followUps >= tick.config.maxFollowUps)
    return giveUp(tick, state, `no answer after ${state.followUps} follow-ups`);
  const speaker = speakerOf(tick, state);
  const [question] = unanswered(tick, state);
  const text = message(
    followUpText(speaker, state.followUps, tick.config.maxFollowUps),
    question === undefined ? null : ask(question, speaker),
  );
  return waitForAnswer(tick, { ...state, followUps: state.followUps + 1 }, [
    say(text, { proactive: true, ...templateOf(tick) }),
  ]);
}

function giveUp(tick: LeadTick, state: State, comment: string): Outcome {
  const worthTelling = Object.keys(state.answers).length > 0 || state.openQuestions.length > 0;
  const effects = worthTelling ? [note(summary(tick.config, state, 'gaveUp'))] : [];
  return finish({ status: 'COMPLETED', reason: 'gave_up', comment, state, effects });
}

/** Sleeps until the next follow-up is due; a message that still waits to go out is overtaken by this one. */
function waitForAnswer(tick: LeadTick, state: State, effects: readonly EffectInput[]): Outcome {
  const { followUpAfter, followUpFactor, maxFollowUps } = tick.config;
  const gap = Math.min(ms(followUpAfter) * followUpFactor ** state.followUps, MAX_INTERVAL_MS);
  const last = state.followUps >= maxFollowUps;
  const speaks = effects.some(({ kind }) => kind === 'message.send');
  const overtaken = speaks
    ? tick.pendingEffects.filter(({ effect }) => effect.kind === 'message.send').map(({ key }) => key)
    : [];
  return reschedule({
    in: `${Math.max(Math.round(gap / 1_000), 1)}s`,
    why: last
      ? 'gives up if the customer stays silent'
      : `follow-up ${state.followUps + 1} of ${maxFollowUps} if the customer stays silent`,
    state,
    effects,
    cancel: overtaken,
  });
}

function handOver(tick: LeadTick, state: State, why: 'person' | 'done'): EffectInput {
  const text = summary(tick.config, state, why);
  return handOff({ note: text, ...(tick.config.team === undefined ? {} : { team: tick.config.team }) });
}

function unanswered({ config }: LeadTick, { answers }: State): readonly Question[] {
  return config.questions.filter(({ id }) => !(id in answers));
}

function learnLanguage(tick: LeadTick, state: State, texts: readonly string[]): Pick<State, 'language'> {
  if (state.language !== undefined || languageOfLocale(tick.conversation?.contact?.locale) !== undefined) return {};
  const language = languageOfWords(texts.join(' '));
  return language === undefined ? {} : { language };
}

function templateOf({ config }: LeadTick): { template?: NonNullable<Config['followUpTemplate']> } {
  return config.followUpTemplate === undefined ? {} : { template: config.followUpTemplate };
}

function zoneOf(tick: LeadTick): string {
  return tick.conversation?.timeZone ?? tick.tenant.timeZone;
}

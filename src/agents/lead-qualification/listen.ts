/** What a burst of messages says: answers, and whatever else the customer wants. Pure. */
import { asksIfRobot, asksPrice, declines, isCourtesy, isQuestion, wantsPerson } from './intents.ts';
import type { Question } from './schemas.ts';
import { isChoice, recognise, remainder, volunteered, type Listening } from './recognise.ts';

export interface Heard {
  readonly answers: Readonly<Record<string, string>>;
  /** Of `answers`, the one that was taken in the customer's words, since it was no clearer the second time. */
  readonly asSaid: string | null;
  /** Words for the open question that are no answer to it yet. */
  readonly unclear: boolean;
  readonly wantsPerson: boolean;
  readonly declines: boolean;
  readonly asksIfRobot: boolean;
  readonly asksPrice: boolean;
  /** Questions that only a person can answer, in the customer's words. */
  readonly questions: readonly string[];
}

/** Times an open question is put before its answer is taken as it stands. */
const ASK_AT_MOST = 2;
/** A price question with more words than this also says what is wanted: "how much is a flat near the park with a garden?". */
const BARE_QUESTION_WORDS = 6;
/** Answers are kept short: all of them travel with the run, which bounds its state at 16 KB. The transcript has the rest. */
const MAX_ANSWER = 180;
/** What is read of one message, and of a burst: nobody answers a question in more, and patterns take their time with it. */
const MAX_READ = 1_000;
const MAX_BURST = 20;
/** Fewer words than these do not yet say what somebody wants: "hi, I have a question". */
const FIRST_WORDS = 6;

/** `asked`: how often the first of `unanswered` has been put to the customer; 0: these are the customer's first words. */
export function listen(
  messages: readonly string[],
  of: { unanswered: readonly Question[]; asked: number; listening: Listening },
): Heard {
  const { unanswered, asked, listening } = of;
  const open = asked > 0 || unanswered[0]?.fromFirstWords === true ? unanswered[0] : undefined;
  const texts = messages
    .slice(-MAX_BURST)
    .map((text) => text.slice(0, MAX_READ).trim())
    .filter((text) => text !== '');
  const choosing = (text: string): boolean => open !== undefined && isChoice(open, text);
  const beside = texts.filter((text) => !choosing(text));
  const answers: Record<string, string> = {};
  const words: string[] = [];
  for (const text of texts) {
    const rest = takeVolunteered(
      text,
      unanswered.filter((question) => question !== open),
      answers,
    );
    if (choosing(text) || (rest !== '' && !isAside(rest))) words.push(rest);
  }
  const enough = asked > 0 || words.join(' ').split(/\s+/).length >= FIRST_WORDS;
  const said = open === undefined || !enough ? null : answerTo(open, words, { asked, listening });
  if (open !== undefined && said?.answer !== undefined) answers[open.id] = cut(said.answer);
  const answered = open !== undefined && open.id in answers;
  return {
    answers,
    asSaid: answered && said?.asSaid === true ? open.id : null,
    unclear: asked > 0 && !answered && words.some((text) => !isQuestion(text)),
    wantsPerson: beside.some(wantsPerson),
    declines: beside.some(declines),
    asksIfRobot: beside.some(asksIfRobot),
    asksPrice: beside.some(asksPrice),
    questions: beside
      .filter((text) => isQuestion(text) || asksPrice(text))
      .filter((text) => !asksIfRobot(text) && !wantsPerson(text))
      .map(cut),
  };
}

/** Puts what `text` volunteers into `answers` and returns what is left of it. */
function takeVolunteered(text: string, questions: readonly Question[], answers: Record<string, string>): string {
  let rest = text;
  for (const question of questions) {
    const answer = question.id in answers ? null : volunteered(question, text);
    if (answer === null) continue;
    answers[question.id] = cut(answer);
    if (question.kind !== 'choice') rest = remainder(text);
  }
  return rest;
}

function answerTo(
  question: Question,
  words: readonly string[],
  { asked, listening }: { asked: number; listening: Listening },
): { readonly answer: string; readonly asSaid: boolean } | null {
  const isInOwnWords = question.kind === 'text' || question.kind === 'when';
  const statements = isInOwnWords ? words.filter((text) => !isQuestion(text) || asksPrice(text)) : words;
  // Somebody who corrects themselves means the last one; what is in their own words comes in pieces.
  const readings = isInOwnWords
    ? []
    : words.map((text) => recognise(question, text, listening)).filter((reading) => reading !== null);
  const whole = statements.join(question.kind === 'phone' ? '' : ' ').slice(0, MAX_READ);
  const answer = readings.at(-1) ?? recognise(question, whole, listening);
  if (answer !== null) return { answer, asSaid: false };
  const asSaid = words.filter((text) => !isQuestion(text)).join(' ');
  return asSaid !== '' && asked >= ASK_AT_MOST ? { answer: asSaid, asSaid: true } : null;
}

/** Greetings, and questions that say nothing about what is wanted. */
function isAside(text: string): boolean {
  if (isCourtesy(text) || asksIfRobot(text) || wantsPerson(text)) return true;
  return asksPrice(text) && text.split(/\s+/).length <= BARE_QUESTION_WORDS;
}

/** Never in the middle of a surrogate pair: half of one is not text to a database. */
function cut(text: string): string {
  return text.slice(0, MAX_ANSWER).replace(/[\uD800-\uDBFF]$/, '');
}

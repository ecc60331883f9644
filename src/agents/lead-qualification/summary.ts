/** What colleagues read when the agent is done, in the configured language. */
import { textIn } from '../language.ts';
import type { Config, State } from './schemas.ts';
import { PHRASES } from './phrases/by-language.ts';

/** Below the bound of a note, and with its effects below that of an outcome. */
const MAX_SUMMARY = 4_000;
const MAX_QUESTION = 120;

/** Why it ended, the answers, what is still open, and what the customer wanted to know. */
export function summary(config: Config, state: State, why: 'person' | 'done' | 'gaveUp'): string {
  const { note } = PHRASES[config.language];
  const titled = config.questions.map((question) => ({
    id: question.id,
    title: textIn(question.text, config.language).slice(0, MAX_QUESTION),
  }));
  const answered = titled.filter(({ id }) => id in state.answers);
  const open = titled.find(({ id }) => !(id in state.answers));
  const lines = [
    note[why],
    ...(answered.length === 0 ? [] : [`${note.answers}:`]),
    ...answered.map(
      ({ id, title }) =>
        `- ${title} ${state.answers[id] ?? ''}${state.unclear.includes(id) ? ` (${note.unclear})` : ''}`,
    ),
    ...(open === undefined ? [] : [`${note.open}: ${open.title}`]),
    ...(state.openQuestions.length === 0 ? [] : [`${note.asked}: ${state.openQuestions.join(' / ')}`]),
  ];
  return lines
    .join('\n')
    .slice(0, MAX_SUMMARY)
    .replace(/[\uD800-\uDBFF]$/, '');
}

/** Which sentences of ours a reader of Portuguese would see in English, wholly or in part. */
import { SENTENCES } from '../../src/console/words/told/portuguese.ts';
import { readersOf } from '../../src/console/words/told/reader.ts';
import { FILLED } from './said-in-source.ts';

const left: string[] = [];
const { any } = readersOf(SENTENCES, (part) => {
  if (part !== '' && !part.includes(FILLED)) left.push(part);
  return part;
});

export function unread(sentences: readonly string[]): readonly string[] {
  return [...new Set(sentences)].filter((sentence) => {
    left.length = 0;
    return any(sentence) === undefined || left.length > 0;
  });
}

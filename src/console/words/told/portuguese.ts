/** Every sentence of the server's that its readers see here, read and said in Portuguese; fetched by whoever reads Portuguese. */
import { channelSentences } from './channel-sentences.ts';
import { fieldSentences } from './field-sentences.ts';
import { investigationSentences } from './investigation-sentences.ts';
import { problemSentences } from './problem-sentences.ts';
import { readersOf } from './reader.ts';
import { runSentences } from './run-sentences.ts';
import { watcherSentences } from './watcher-sentences.ts';

export const SENTENCES = [
  ...problemSentences,
  ...fieldSentences,
  ...runSentences,
  ...channelSentences,
  ...investigationSentences,
  ...watcherSentences,
] as const;

export const { one: inOneSentence, any: inPortuguese } = readersOf(SENTENCES);

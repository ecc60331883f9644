/** What an operator sets, and what the agent remembers. */
import { z } from 'zod';
import { TemplateMessage } from '../../domain/schemas/templates.ts';
import { Duration } from '../../domain/schemas/values.ts';
import { Language, LocalText } from '../language.ts';

const QuestionId = z.string().regex(/^[a-z][a-zA-Z0-9_]{0,39}$/, { error: 'must be a short name such as budget' });

export const Question = z
  .strictObject({
    id: QuestionId,
    text: LocalText,
    /** `date` is a day; `when` is in the customer's own words, of whatever speaks of time. */
    kind: z.enum(['text', 'number', 'choice', 'email', 'phone', 'date', 'when', 'yesNo']).default('text'),
    /** For `choice`: what may be chosen. */
    choices: z.array(LocalText).min(2).max(10).optional(),
    /** For the first question: a customer who begins by saying what is wanted is not asked for it again. */
    fromFirstWords: z.boolean().default(false),
  })
  .refine((question) => !question.fromFirstWords || question.kind === 'text', {
    error: 'is for questions of kind "text"',
    path: ['fromFirstWords'],
  })
  .refine((question) => (question.kind === 'choice') === (question.choices !== undefined), {
    error: 'choices belong to questions of kind "choice", which need them',
    path: ['choices'],
  });
export type Question = z.infer<typeof Question>;

const DEFAULT_QUESTIONS: z.input<typeof Question>[] = [
  {
    id: 'need',
    fromFirstWords: true,
    text: { en: 'What are you looking for?', pt: 'O que você procura?', es: '¿Qué está buscando?' },
  },
  {
    id: 'timing',
    kind: 'when',
    text: { en: 'When would you need it?', pt: 'Para quando você precisa?', es: '¿Para cuándo lo necesita?' },
  },
  { id: 'name', text: { en: 'What is your name?', pt: 'Qual é o seu nome?', es: '¿Cómo se llama?' } },
];

export const Config = z.strictObject({
  questions: z
    .array(Question)
    .min(1)
    .max(20)
    .refine((questions) => new Set(questions.map(({ id }) => id)).size === questions.length, {
      error: 'every question needs an id of its own',
    })
    .prefault(DEFAULT_QUESTIONS),
  /** Spoken when neither the contact's locale nor the customer's words tell; and to colleagues, in notes. */
  language: Language.default('en'),
  /** Silence before the first follow-up; each further one waits `followUpFactor` times as long as the one before. */
  followUpAfter: Duration.default('6h'),
  followUpFactor: z.number().min(1).max(10).default(2),
  /** Follow-ups without an answer before it gives up. */
  maxFollowUps: z.int().min(0).max(10).default(3),
  /** Sent in place of a follow-up's text where the channel takes free text no longer (WhatsApp: 24 hours). */
  followUpTemplate: TemplateMessage.optional(),
  /** Who gets the conversation when the customer asks for a person. */
  team: z.string().min(1).max(100).optional(),
});
export type Config = z.infer<typeof Config>;

export const State = z.strictObject({
  /** By question id: as recognised (numbers plain, dates `YYYY-MM-DD`, `yes` or `no`), else in the customer's words. */
  answers: z.record(z.string(), z.string()),
  /** Answers taken as said, since they were no clearer the second time. */
  unclear: z.array(z.string()),
  /** Times the open question was asked; 0: not yet. */
  asked: z.int(),
  /** Follow-ups since the customer last wrote. */
  followUps: z.int(),
  introduced: z.boolean(),
  toldTextOnly: z.boolean(),
  /** As the customer's words told. */
  language: Language.optional(),
  /** What the customer asked and only a person can answer. */
  openQuestions: z.array(z.string()),
  iterations: z.int(),
  lastProcessedAt: z.iso.datetime().optional(),
});
export type State = z.infer<typeof State>;

export const INITIAL: State = {
  answers: {},
  unclear: [],
  asked: 0,
  followUps: 0,
  introduced: false,
  toldTextOnly: false,
  openQuestions: [],
  iterations: 0,
};

/** What the agent says, per language. Adding a language: one file beside these and one line here. */
import type { Language } from '../../language.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import type { Phrases } from './phrases.ts';
import { pt } from './pt.ts';

export const PHRASES: Readonly<Record<Language, Phrases>> = { en, pt, es };

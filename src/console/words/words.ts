/** The language of this browser's reader: as it was chosen, else as the browser says. */
import { recall, remember, useRemembered } from '../remembered.ts';
import { sayIn, type Language, type Say } from './say.ts';

export {
  LANGUAGES,
  LANGUAGE_NAMES,
  sayEffectState,
  sayHeld,
  sayOr,
  type Language,
  type Say,
  type WordKey,
} from './say.ts';

export function language(): Language {
  const chosen = recall('language') ?? window.navigator.language;
  return chosen.toLowerCase().startsWith('pt') ? 'pt' : 'en';
}

export function setLanguage(next: Language): void {
  remember('language', next);
  document.documentElement.lang = next;
}

export function useSay(): Say {
  useRemembered('language');
  return sayIn(language());
}

/** The language of this browser's reader: as it was chosen, else as the browser says. */
import { useSyncExternalStore } from 'react';
import { recall, remember } from '../remembered.ts';
import { useRemembered } from '../use-remembered.ts';
import { onTaught, sayIn, teach, type Language, type Say } from './say.ts';

export {
  LANGUAGES,
  LANGUAGE_NAMES,
  sayComment,
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
  void fetchSentences();
}

/** The server's sentences, for whoever reads them in Portuguese. Without them, they are shown as they came. */
export async function fetchSentences(): Promise<void> {
  if (language() !== 'pt') return;
  const fetched = await import('./told/portuguese.ts').catch(() => undefined);
  if (fetched !== undefined) teach('pt', fetched.inPortuguese);
}

export function useSay(): Say {
  useRemembered('language');
  return useSyncExternalStore(onTaught, () => sayIn(language()));
}

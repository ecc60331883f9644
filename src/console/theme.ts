/** Light, dark, or as the machine says. The styles read `data-theme` of the root. */
import { recall, remember } from './remembered.ts';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export function theme(): Theme {
  return THEMES.find((one) => one === recall('theme')) ?? 'auto';
}

export function setTheme(next: Theme): void {
  remember('theme', next === 'auto' ? null : next);
  showTheme();
}

export function showTheme(): void {
  const chosen = theme();
  if (chosen === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = chosen;
}

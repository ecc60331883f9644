/** What is to be decided on, in words: for the command line and the page behind a signed link. */
import { shownMoney } from './money.ts';
import type { Action, Evidence, Proposal } from './schemas/investigations.ts';

/** Shown elsewhere, or of no interest to who decides. */
const NOT_TERMS = ['step', 'kind', 'title', 'cost', 'risk', 'restsOn'];

/**
 * Exactly what an action will do, by name: its texts in full, whom and what it concerns, every amount. What is empty is left
 * out; title, cost and risk are not among them.
 */
export function termsOf(action: Action): readonly (readonly [name: string, value: string])[] {
  return termsIn(Object.fromEntries(Object.entries(action).filter(([name]) => !NOT_TERMS.includes(name))));
}

/** `owed: 7500 → 2500`: of a proposal that follows one that went stale. */
export function changeWords({ name, before, after }: Proposal['changed'][number]): string {
  return `${name}: ${shown(before)} → ${shown(after)}`;
}

/** With its unit; – where there is nothing. */
export function evidenceWords({ value, unit }: Pick<Evidence, 'value' | 'unit'>): string {
  return `${shown(value)} ${value === null ? '' : (unit ?? '')}`.trim();
}

function termsIn(fields: object): readonly (readonly [string, string])[] {
  return (
    Object.entries(fields)
      .filter(([, value]) => !isEmpty(value))
      .map(([name, value]) => [spaced(name), shown(value)] as const)
      // A database hands fields back in an order of its own.
      .sort(([a], [b]) => (a < b ? -1 : 1))
  );
}

function isEmpty(value: unknown): boolean {
  return value == null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(shown).join('; ');
  if (isMoney(value)) return shownMoney(value);
  if (typeof value !== 'object') return typeof value === 'string' ? value : JSON.stringify(value);
  return termsIn(value)
    .map(([name, each]) => `${name} ${each}`)
    .join(', ');
}

function isMoney(value: unknown): value is Parameters<typeof shownMoney>[0] {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return false;
  if (!('amount' in value && typeof value.amount === 'number' && 'currency' in value)) return false;
  return typeof value.currency === 'string' && /^[A-Z]{3}$/.test(value.currency);
}

/** `expectedOn` → `expected on`; `supplierId` → `supplier`. */
function spaced(name: string): string {
  return name.replace(/Id$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Do this command, the server and the workers run the same release, and if not, which is to be upgraded or started again? */
import type { Check } from '../domain/checks.ts';
import { failed, passed } from './checks.ts';

export type Part = 'command' | 'server' | 'worker';

/** What one of them told; `version` null: it is older than the first that tells, or none of ours. */
export interface Told {
  readonly part: Part;
  /** Which worker. */
  readonly process?: string;
  readonly version: string | null;
}

const NAMES: Readonly<Record<Part, string>> = {
  command: 'version of this command',
  server: 'version of the server',
  worker: 'version of workers',
};

/** A line for the command, one for the server, and one for each version of workers; the newest of all is the right one. */
export function checkVersions(told: readonly Told[]): readonly Check[] {
  const newest = told.reduce<string | null>((best, { version }) => (isNewer(version, best) ? version : best), null);
  return (['command', 'server', 'worker'] as const).flatMap((part) => {
    const those = told.filter((one) => one.part === part);
    return [...new Set(those.map(({ version }) => version))].map((version) => {
      const processes = those.flatMap((one) => (one.version === version ? (one.process ?? []) : []));
      const detail = `${version ?? 'not told'}${processes.length === 0 ? '' : `: ${processes.join(', ')}`}`;
      if (version === newest) return passed(NAMES[part], detail);
      return failed(NAMES[part], `${detail}; the newest here is ${newest ?? ''}`, remedyFor(part, newest ?? ''));
    });
  });
}

function remedyFor(part: Part, newest: string): string {
  return part === 'command'
    ? `install ${newest} here: git pull and npm ci in a clone, else its package`
    : `stop it, install ${newest} there unless that is done, and start it again: attache ${part}, or the attache dev it is part of; with Compose, docker compose up --build -d${part === 'worker' ? ' (what was stopped is listed for a minute)' : ''}`;
}

/** As Semantic Versioning orders them; null is the oldest. */
function isNewer(version: string | null, other: string | null): boolean {
  if (version === null || other === null) return version !== null;
  const [core, before] = cut(version);
  const [otherCore, otherBefore] = cut(other);
  const byCore = NUMBERS.compare(core, otherCore);
  if (byCore !== 0) return byCore > 0;
  // A release comes after what led to it.
  if (before === '' || otherBefore === '') return before === '' && otherBefore !== '';
  return NUMBERS.compare(before, otherBefore) > 0;
}

const NUMBERS = new Intl.Collator('en', { numeric: true });

/** `1.2.0-rc.1` before and after its first hyphen; what follows a `+` does not count. */
function cut(version: string): readonly [string, string] {
  const [, core = '', before = ''] = /^([^-+]*)(?:-([^+]*))?/.exec(version) ?? [];
  return [core, before];
}

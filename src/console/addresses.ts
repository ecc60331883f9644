/** Every address of the console, made here and nowhere else. */

/** As an address names them, in the order of the navigation. */
export const SCREENS = [
  'runs',
  'outcomes',
  'calendar',
  'investigations',
  'deliveries',
  'health',
  'agents',
  'audit',
] as const;
export type Screen = (typeof SCREENS)[number];

export function isScreen(name: string): name is Screen {
  return SCREENS.some((screen) => screen === name);
}

export function screenAddress(tenant: string, screen: Screen, query?: Readonly<Record<string, string>>): string {
  const text = query === undefined ? '' : new URLSearchParams(query).toString();
  return `/t/${encodeURIComponent(tenant)}/${screen}${text === '' ? '' : `?${text}`}`;
}

/** The name of a run; a conversation id needs no escaping but for `@`, `=` and `+`, which paths allow. */
export interface RunName {
  readonly subject: string;
  readonly slot: string;
  /** The attachment; absent: the latest. */
  readonly id?: string | undefined;
}

/** @param query the list's own filters, which stay beside the run. */
export function runAddress(tenant: string, { subject, slot, id }: RunName, query?: URLSearchParams): string {
  const next = new URLSearchParams(query);
  if (id === undefined) next.delete('id');
  else next.set('id', id);
  const text = next.toString();
  return `${screenAddress(tenant, 'runs')}/${subject}/${slot}${text === '' ? '' : `?${text}`}`;
}

/** What {@link runAddress} wrote, from the segments after `runs`; undefined when they name no run. */
export function runNameOf(segments: readonly string[], query: URLSearchParams): RunName | undefined {
  const [kind, ...rest] = segments;
  const id = query.get('id') ?? undefined;
  if (kind === 'business' && rest.length === 1) return { subject: kind, slot: rest[0] ?? '', id };
  if (kind === 'conversation' && rest.length === 2)
    return { subject: `conversation/${rest[0] ?? ''}`, slot: rest[1] ?? '', id };
  return undefined;
}

export function investigationAddress(tenant: string, id: string, query?: URLSearchParams): string {
  const text = query?.toString() ?? '';
  return `${screenAddress(tenant, 'investigations')}/${encodeURIComponent(id)}${text === '' ? '' : `?${text}`}`;
}

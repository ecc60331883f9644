/** What the API knows by long ids is named by one, or by a beginning of it that no other of the tenant's has. */
import type { EventRecord, Page } from '../desk/desk.ts';
import type { Api } from './api.ts';
import { CommandError, EXIT, usage } from './outcome.ts';

/** A list of the API's, and how each of its items is named. */
interface Named {
  readonly path: string;
  /** Of several, for people. */
  readonly what: string;
  readonly nameOf: (item: never) => string;
  /** An id has this form; where none is named, any text may be one. */
  readonly whole?: RegExp;
}

const ours = { nameOf: ({ id }: { readonly id: string }) => id, whole: /^[0-9a-f-]{36}$/ };
export const INVESTIGATIONS: Named = { path: '/investigations', what: 'investigations', ...ours };
export const DELIVERIES: Named = { path: '/deliveries', what: 'deliveries', ...ours };
/** By the source's id, which two sources may share, or by the desk's key, which names one. */
export const EVENTS: Named = { path: '/events', what: 'events', nameOf: ({ key }: EventRecord) => key };

/** Fewer characters are sooner a slip than a name. */
const LEAST = 4;
const SHOWN = 10;

/**
 * Asks for the path of `id`; where nothing is there, for that of the only one that begins so. What cannot be an id is only
 * looked up: a refusal of it would stand in the audit beside the act that was meant.
 * @throws {CommandError} `usage` when several do, naming them.
 */
export async function byId<Answer>(
  { api, tenant, id, of }: { readonly api: Api; readonly tenant: string; readonly id: string; readonly of: Named },
  ask: (path: string) => Promise<Answer>,
): Promise<Answer> {
  const pathOf = (name: string) => `${of.path}/${encodeURIComponent(name)}`;
  if (of.whole?.test(id) !== false || id.length < LEAST) {
    try {
      return await ask(pathOf(id));
    } catch (error) {
      if (!(error instanceof CommandError) || error.exit !== EXIT.notFound || id.length < LEAST) throw error;
    }
  }
  const query = { beginning: id, limit: String(SHOWN + 1) };
  const { items } = (await api.get(tenant, of.path, query)) as Page<never>;
  const [found, ...others] = items.map(of.nameOf);
  if (others.length === 0) return ask(pathOf(found ?? id));
  const count = others.length >= SHOWN ? `more than ${SHOWN}` : String(others.length + 1);
  throw usage(`${count} ${of.what} begin with ${id}; name one: ${[found, ...others].slice(0, SHOWN).join(', ')}`);
}

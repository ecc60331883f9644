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
}

const idOf = ({ id }: { readonly id: string }) => id;
export const INVESTIGATIONS: Named = { path: '/investigations', what: 'investigations', nameOf: idOf };
export const DELIVERIES: Named = { path: '/deliveries', what: 'deliveries', nameOf: idOf };
/** By the source's id, which two sources may share, or by the desk's key, which names one. */
export const EVENTS: Named = { path: '/events', what: 'events', nameOf: ({ key }: EventRecord) => key };

/** Fewer characters are sooner a slip than a name. */
const LEAST = 4;
const SHOWN = 10;

/**
 * Asks for the path of `id`; where nothing is there, for that of the only one that begins so.
 * @throws {CommandError} `usage` when several do, naming them.
 */
export async function byId<Answer>(
  { api, tenant, id, of }: { readonly api: Api; readonly tenant: string; readonly id: string; readonly of: Named },
  ask: (path: string) => Promise<Answer>,
): Promise<Answer> {
  const pathOf = (name: string) => `${of.path}/${encodeURIComponent(name)}`;
  try {
    return await ask(pathOf(id));
  } catch (error) {
    if (!(error instanceof CommandError) || error.exit !== EXIT.notFound || id.length < LEAST) throw error;
    const query = { beginning: id, limit: String(SHOWN + 1) };
    const { items } = (await api.get(tenant, of.path, query)) as Page<never>;
    const [found, ...others] = items.map(of.nameOf);
    if (found === undefined) throw error;
    if (others.length === 0) return ask(pathOf(found));
    const count = others.length >= SHOWN ? `more than ${SHOWN}` : String(others.length + 1);
    throw usage(`${count} ${of.what} begin with ${id}; name one: ${[found, ...others].slice(0, SHOWN).join(', ')}`);
  }
}

/** An investigation is named by its id, or by a beginning of it that no other of the tenant's has. */
import type { Page } from '../desk/desk.ts';
import type { InvestigationSummary } from '../domain/schemas/investigations.ts';
import type { Api } from './api.ts';
import { CommandError, EXIT, usage } from './outcome.ts';

/** Fewer characters are sooner a slip than a name. */
const BEGINNING = /^[0-9a-f][0-9a-f-]{3,}$/;
const PAGE = '200';

/**
 * Asks for the path of `id`; where nothing is there, for that of the only one that begins so.
 * @throws {CommandError} `usage` when several do, naming them.
 */
export async function byId<Answer>(
  { api, tenant, id }: { readonly api: Api; readonly tenant: string; readonly id: string },
  ask: (path: string) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask(pathOf(id));
  } catch (error) {
    if (!(error instanceof CommandError) || error.exit !== EXIT.notFound || !BEGINNING.test(id)) throw error;
    const [found, ...others] = await beginning({ api, tenant, id });
    if (found === undefined) throw error;
    if (others.length > 0)
      throw usage(
        `${others.length + 1} investigations begin with ${id}; name one: ${[found, ...others].slice(0, 10).join(', ')}`,
      );
    return ask(pathOf(found));
  }
}

function pathOf(id: string): string {
  return `/investigations/${encodeURIComponent(id)}`;
}

async function beginning({ api, tenant, id }: { api: Api; tenant: string; id: string }): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = (await api.get(tenant, '/investigations', { limit: PAGE, cursor })) as Page<InvestigationSummary>;
    found.push(...page.items.map((one) => one.id).filter((each) => each.startsWith(id)));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

/** Lists as commands show them: a table, or the API's own page with --json. */
import type { Command } from 'commander';
import type { Page } from '../desk/desk.ts';
import type { Context } from './context.ts';
import { tenantOption } from './names.ts';
import { usage } from './outcome.ts';
import { json, table, type Spare } from './terminal.ts';
import { watchable, watching, type WatchOption } from './watch.ts';

export interface TenantOptions {
  readonly tenant: string;
  readonly json?: true;
}
export type ListOptions = TenantOptions & WatchOption;
export interface PageOptions extends ListOptions {
  readonly limit: string;
  readonly cursor?: string;
}

/** A list of the API's as a table. */
export interface Listing extends Spare {
  readonly path: string;
  readonly headings: readonly string[];
  /** Of an item as the API sends it. */
  readonly row: (item: never) => readonly string[];
  /** Said where there is nothing. */
  readonly none: string;
}

/** `--tenant` and `--json`. */
export function forTenant(command: Command): Command {
  return command.option('--tenant <tenant>', 'whose', 'demo').option('--json', 'print the API’s object');
}

/** And `--watch`. */
export function forList(command: Command): Command {
  return watchable(forTenant(command));
}

/** And `--limit` and `--cursor`. */
export function forPages(command: Command): Command {
  return forList(command).option('--limit <number>', '1 to 200', '50').option('--cursor <cursor>', 'the next page');
}

/** @throws {CommandError} */
export async function showList(
  context: Context,
  { watch, ...options }: ListQuery & WatchOption,
  of: Listing,
): Promise<void> {
  await watching(context, { watch }, async (at) => listOnce(at, options, of));
}

type ListQuery = TenantOptions & Readonly<Record<string, string | true | undefined>>;

async function listOnce(
  { api, terminal }: Context,
  { tenant, json: asJson, ...query }: ListQuery,
  of: Listing,
): Promise<void> {
  const { limit } = query;
  if (limit !== undefined && !/^\d{1,3}$/.test(String(limit)))
    throw usage(`--limit must be 1 to 200, not "${String(limit)}"`);
  const asked = Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, value === true ? 'true' : value]),
  );
  const page = (await api().get(tenantOption(tenant), of.path, asked)) as Page<never>;
  if (asJson) terminal.out(json(page));
  else if (page.items.length === 0) terminal.out(`${of.none}\n`);
  else {
    terminal.out(table(of.headings, page.items.map(of.row), terminal.columns, of));
    if (page.nextCursor !== null) terminal.out(`more: --cursor ${page.nextCursor}\n`);
  }
}

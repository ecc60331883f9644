/** API keys of a tenant: what an admin does. */
import type { Command } from 'commander';
import { ROLES } from '../../domain/roles.ts';
import type { Key } from '../../http/answers/keys.ts';
import { choice } from '../choices.ts';
import type { Context } from '../context.ts';
import { forPages, forTenant, showList, type PageOptions, type TenantOptions } from '../listing.ts';
import { durationOption, instantOption, tenantOption } from '../names.ts';
import { json } from '../terminal.ts';

interface ActOptions extends TenantOptions {
  readonly by?: string;
  readonly reason?: string;
}
interface CreateOptions extends ActOptions {
  readonly role: string;
  readonly expiresAt?: string;
}

export function keyCommands(program: Command, context: Context): void {
  const keys = program.command('keys').description('API keys of a tenant; needs an admin’s key');
  const act = (name: string, argument: string, description: string) =>
    forTenant(keys.command(name).argument(argument).description(description))
      .option('--by <name>', 'who asks')
      .option('--reason <text>', 'why');
  forPages(keys.command('list', { isDefault: true }).description('list them, without their secrets')).action(
    async (options: PageOptions) =>
      showList(
        context,
        { ...options },
        {
          path: '/keys',
          headings: ['ID', 'NAME', 'ROLE', 'STATE', 'EXPIRES', 'CREATED', 'BY'],
          row: ({ id, name, role, state, expiresAt, createdAt, createdBy }: Key) => [
            ...[id, name, role, state, expiresAt ?? '–', createdAt, createdBy],
          ],
          spare: ['BY', 'CREATED'],
          none: 'no keys: attache keys create makes one; those of ATTACHE_API_KEYS are not listed',
        },
      ),
  );
  act('create', '<name>', 'make one; its secret is shown this once')
    .addOption(choice('--role <role>', ROLES, 'what it may do').makeOptionMandatory())
    .option('--expires-at <instant>', 'such as 2027-01-01T00:00:00Z')
    .action(async (name: string, options: CreateOptions) => create(context, name, options));
  act('rotate', '<key>', 'a new secret; the old one holds a while longer')
    .option('--overlap <duration>', 'how long; 24h unless said otherwise')
    .action(async (id: string, options: ActOptions & { readonly overlap?: string }) => {
      if (options.overlap !== undefined) durationOption('--overlap', options.overlap);
      const { tenant, json: asJson, ...body } = options;
      secretOf(context, asJson, await context.api().post(tenantOption(tenant), pathOf(id, 'rotate'), body));
    });
  act('revoke', '<key>', 'end it at once, and the sessions opened with it').action(
    async (id: string, { tenant, json: asJson, ...body }: ActOptions) => {
      const answer = await context.api().post(tenantOption(tenant), pathOf(id, 'revoke'), body);
      context.terminal.out(asJson ? json(answer.body) : `${(answer.body as Key).name}: revoked\n`);
    },
  );
}

async function create(
  context: Context,
  name: string,
  { tenant, json: asJson, role, expiresAt, ...why }: CreateOptions,
): Promise<void> {
  const body = { name, role, expiresAt: instantOption('--expires-at', expiresAt), ...why };
  secretOf(context, asJson, await context.api().post(tenantOption(tenant), '/keys', body));
}

function secretOf({ terminal }: Context, asJson: true | undefined, { body }: { readonly body: unknown }): void {
  const { id, name, role, secret } = body as Key & { readonly secret: string };
  if (asJson) terminal.out(json(body));
  else {
    terminal.out(`${secret}\n`);
    terminal.err(`${name} (${id}), ${role}: the secret above is shown this once\n`);
  }
}

function pathOf(id: string, act: string): string {
  return `/keys/${encodeURIComponent(id)}/${act}`;
}

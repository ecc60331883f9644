/** The kill switch: for a tenant, an agent or a channel. */
import type { Command } from 'commander';
import type { Switch } from '../../http/answers/switches.ts';
import type { Context } from '../context.ts';
import { forList, forTenant, showList, type ListOptions, type TenantOptions } from '../listing.ts';
import { tenantOption } from '../names.ts';
import { usage } from '../outcome.ts';
import { json, warn } from '../terminal.ts';

interface Options extends TenantOptions {
  readonly by?: string;
  readonly reason?: string;
}

export function switchCommands(program: Command, context: Context): void {
  const switches = program.command('switches').description('what is switched off; needs an admin’s key to change');
  forList(switches.command('list', { isDefault: true }).description('what is switched off')).action(
    async (options: ListOptions) =>
      showList(
        context,
        { ...options },
        {
          path: '/switches',
          headings: ['OFF', 'SINCE', 'BY', 'WHY'],
          row: ({ scope, key, by, reason, at }: Switch) => [`${scope}/${key}`, at, by, reason ?? ''],
          none: 'nothing is switched off',
        },
      ),
  );
  for (const to of ['off', 'on'] as const)
    forTenant(switches.command(to).argument('<what>', 'tenant/*, agent/{key} or channel/{key}'))
      .description(to === 'off' ? 'no tick and no send that it covers' : 'ticks and sends again')
      .option('--by <name>', 'who asks')
      .option('--reason <text>', 'why')
      .action(async (what: string, { tenant, json: asJson, ...body }: Options) => {
        const [scope = '', key, ...more] = what.split('/');
        if (key === undefined || more.length > 0)
          throw usage(`what must be tenant/*, agent/{key} or channel/{key}, not "${what}"`);
        const path = `/switches/${encodeURIComponent(scope)}/${encodeURIComponent(key)}`;
        const answer = await context.api()[to === 'off' ? 'put' : 'delete'](tenantOption(tenant), path, body);
        context.terminal.out(asJson ? json(answer.body) : `${what}: ${to}\n`);
        warn(context, answer.body);
      });
}

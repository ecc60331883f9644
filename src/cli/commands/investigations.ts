/** Investigations: what is proposed, and deciding on it. */
import type { Command } from 'commander';
import type { Page } from '../../desk/desk.ts';
import { INVESTIGATION_STATUSES } from '../../domain/investigations.ts';
import type { Investigation, InvestigationSummary } from '../../domain/schemas/investigations.ts';
import type { Context } from '../context.ts';
import { byId } from '../investigation-id.ts';
import { jsonArgument } from '../json-argument.ts';
import { tenantOption } from '../names.ts';
import { usage } from '../outcome.ts';
import { money, shownInvestigation } from '../shown-investigations.ts';
import { json, table } from '../terminal.ts';
import { watchable, watching, type WatchOption } from '../watch.ts';

interface Options {
  readonly tenant: string;
  readonly json?: true;
}
interface ListOptions extends Options {
  readonly status?: string;
  readonly agent?: string;
  readonly limit: string;
  readonly cursor?: string;
}
interface DecideOptions extends Options {
  readonly by?: string;
  readonly reason?: string;
  readonly proposalHash?: string;
}

export function investigationCommands(program: Command, context: Context): void {
  const investigations = program
    .command('investigations')
    .description('list investigations; --status proposed are those that wait for a decision');
  const common = (command: Command) =>
    command.option('--tenant <tenant>', 'whose', 'demo').option('--json', 'print the API’s object');
  watchable(common(investigations.command('list', { isDefault: true }).description('list investigations')))
    .option('--status <status>', INVESTIGATION_STATUSES.join(', '))
    .option('--agent <agent>', 'opened by this watcher')
    .option('--limit <number>', '1 to 200', '50')
    .option('--cursor <cursor>', 'the next page')
    .action(async ({ watch, ...options }: ListOptions & WatchOption) =>
      watching(context, { watch }, async (at) => list(at, options)),
    );
  common(investigations.command('show').description('one of them: its evidence and what is proposed'))
    .argument('<investigation>', 'its id, or the beginning of it')
    .action(async (id: string, options: Options) => show(context, id, options));
  common(investigations.command('answer').description('answer what a step asks'))
    .argument('<investigation>', 'its id, or the beginning of it')
    .argument('<step>', 'which step')
    .argument('<json>', '{"kind": "confirmation", "yes": true} or an offer')
    .option('--by <name>', 'who you are')
    .action(async (id: string, step: string, answer: string, options: DecideOptions) =>
      tell(context, { id, step, answer }, options),
    );
  for (const decision of ['approve', 'reject'] as const)
    common(program.command(decision).description(`${decision} what an investigation proposes`))
      .argument('<investigation>', 'its id, or the beginning of it')
      .option('--by <name>', 'who you are')
      .option('--reason <words>', 'why')
      .option('--proposal-hash <hash>', 'of the proposal you looked at: another one is not decided on')
      .action(async (id: string, options: DecideOptions) => decide(context, decision, id, options));
}

async function list({ api, terminal }: Context, { tenant, json: asJson, ...query }: ListOptions): Promise<void> {
  if (query.status !== undefined && !INVESTIGATION_STATUSES.some((status) => status === query.status))
    throw usage(`--status must be one of ${INVESTIGATION_STATUSES.join(', ')}`);
  if (!/^\d{1,3}$/.test(query.limit)) throw usage(`--limit must be 1 to 200, not "${query.limit}"`);
  const page = (await api().get(tenantOption(tenant), '/investigations', query)) as Page<InvestigationSummary>;
  if (asJson) terminal.out(json(page));
  else if (page.items.length === 0) terminal.out('no investigations\n');
  else {
    const rows = page.items.map(({ id, agent, status, occurrences, summary, proposal }) => [
      ...[
        id,
        agent,
        status,
        String(occurrences),
        money(proposal?.cost),
        proposal?.risk ?? '',
        proposal?.summary ?? summary,
      ],
    ]);
    terminal.out(table(['ID', 'AGENT', 'STATUS', 'SEEN', 'COST', 'RISK', 'SUMMARY'], rows, terminal.columns, ['SEEN']));
    if (page.nextCursor !== null) terminal.out(`more: --cursor ${page.nextCursor}\n`);
  }
}

async function tell(
  { api, terminal }: Context,
  { id, step, answer: text }: { readonly id: string; readonly step: string; readonly answer: string },
  { tenant, json: asJson, by }: DecideOptions,
): Promise<void> {
  const answer = await jsonArgument('json', text);
  const of = { api: api(), tenant: tenantOption(tenant), id };
  const { body } = await byId(of, async (path) => of.api.post(of.tenant, `${path}/answer`, { step, answer, by }));
  const told = body as Investigation;
  terminal.out(asJson ? json(told) : `${told.id}: ${told.status}\n`);
}

async function show({ api, terminal }: Context, id: string, { tenant, json: asJson }: Options): Promise<void> {
  const of = { api: api(), tenant: tenantOption(tenant), id };
  const found = (await byId(of, async (path) => of.api.get(of.tenant, path))) as Investigation;
  terminal.out(asJson ? json(found) : shownInvestigation(found, terminal.columns));
}

async function decide(
  { api, terminal }: Context,
  decision: 'approve' | 'reject',
  id: string,
  { tenant, json: asJson, ...body }: DecideOptions,
): Promise<void> {
  const of = { api: api(), tenant: tenantOption(tenant), id };
  const { body: answer } = await byId(of, async (path) => of.api.post(of.tenant, `${path}/${decision}`, body));
  const { status, proposal, decisions, ...decided } = answer as Investigation;
  const open =
    (proposal?.approvals ?? 0) - decisions.filter(({ valid, decision: made }) => valid && made === 'approve').length;
  const more = status === 'proposed' && open > 0 ? `; ${open} more must approve` : '';
  terminal.out(asJson ? json(answer) : `${decided.id}: ${status}${more}\n`);
}

/** Investigations: what is proposed, and deciding on it. */
import type { Command } from 'commander';
import { INVESTIGATION_STATUSES } from '../../domain/investigations.ts';
import type { Investigation, InvestigationSummary } from '../../domain/schemas/investigations.ts';
import { choice } from '../choices.ts';
import type { Context } from '../context.ts';
import { byId, INVESTIGATIONS } from '../by-id.ts';
import { jsonArgument } from '../json-argument.ts';
import { forPages, showList, type Listing, type PageOptions } from '../listing.ts';
import { tenantOption } from '../names.ts';
import { money, shownInvestigation } from '../shown-investigations.ts';
import { json } from '../terminal.ts';

interface Options {
  readonly tenant: string;
  readonly json?: true;
}
interface DecideOptions extends Options {
  readonly by?: string;
  readonly reason?: string;
  readonly proposalHash?: string;
}

const LISTING = {
  path: '/investigations',
  headings: ['ID', 'AGENT', 'STATUS', 'SEEN', 'COST', 'RISK', 'SUMMARY'],
  row: ({ id, agent, status, occurrences, summary, proposal }: InvestigationSummary) => [
    ...[id, agent, status, String(occurrences), money(proposal?.cost), proposal?.risk ?? ''],
    proposal?.summary ?? summary,
  ],
  none: 'no investigations',
  spare: ['SEEN'],
  beginningsDo: true,
} satisfies Listing;

export function investigationCommands(program: Command, context: Context): void {
  const investigations = program
    .command('investigations')
    .description('list investigations; --status proposed are those that wait for a decision');
  const common = (command: Command) =>
    command.option('--tenant <tenant>', 'whose', 'demo').option('--json', 'print the API’s object');
  forPages(investigations.command('list', { isDefault: true }).description('list investigations'))
    .addOption(choice('--status <status>', INVESTIGATION_STATUSES, 'that stand so'))
    .option('--agent <agent>', 'opened by this watcher')
    .action(async (options: PageOptions) => showList(context, { ...options }, LISTING));
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

async function tell(
  { api, terminal }: Context,
  { id, step, answer: text }: { readonly id: string; readonly step: string; readonly answer: string },
  { tenant, json: asJson, by }: DecideOptions,
): Promise<void> {
  const answer = await jsonArgument('json', text);
  const of = { api: api(), tenant: tenantOption(tenant), id, of: INVESTIGATIONS };
  const { body } = await byId(of, async (path) => of.api.post(of.tenant, `${path}/answer`, { step, answer, by }));
  const told = body as Investigation;
  terminal.out(asJson ? json(told) : `${told.id}: ${told.status}\n`);
}

async function show({ api, terminal }: Context, id: string, { tenant, json: asJson }: Options): Promise<void> {
  const of = { api: api(), tenant: tenantOption(tenant), id, of: INVESTIGATIONS };
  const found = (await byId(of, async (path) => of.api.get(of.tenant, path))) as Investigation;
  terminal.out(asJson ? json(found) : shownInvestigation(found, terminal.columns));
}

async function decide(
  { api, terminal }: Context,
  decision: 'approve' | 'reject',
  id: string,
  { tenant, json: asJson, ...body }: DecideOptions,
): Promise<void> {
  const of = { api: api(), tenant: tenantOption(tenant), id, of: INVESTIGATIONS };
  const { body: answer } = await byId(of, async (path) => of.api.post(of.tenant, `${path}/${decision}`, body));
  const { status, proposal, decisions, ...decided } = answer as Investigation;
  const open =
    (proposal?.approvals ?? 0) - decisions.filter(({ valid, decision: made }) => valid && made === 'approve').length;
  const more = status === 'proposed' && open > 0 ? `; ${open} more must approve` : '';
  terminal.out(asJson ? json(answer) : `${decided.id}: ${status}${more}\n`);
}

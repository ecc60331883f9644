/** attach, runs, show, stats: looking at runs and beginning them. */
import type { Command } from 'commander';
import type { Page, RunSort, TimelineEntry } from '../../desk/desk.ts';
import { runName } from '../../domain/ids.ts';
import type { OneRun, Run, RunSummary } from '../../domain/schemas/runs.ts';
import { END_REASONS, PHASES, RUN_STATUSES } from '../../domain/statuses.ts';
import type { Stats } from '../../http/answers/runs.ts';
import { choice } from '../choices.ts';
import type { Context } from '../context.ts';
import { jsonArgument } from '../json-argument.ts';
import { durationOption, instantOption, runArgument, runPath, subjectArgument, tenantOption } from '../names.ts';
import { usage } from '../outcome.ts';
import { oneRun, runsTable, timelineTable } from '../shown-runs.ts';
import { fields, json, warn } from '../terminal.ts';
import { watchable, watching, type WatchOption } from '../watch.ts';

interface AttachOptions {
  readonly tenant: string;
  readonly config?: string;
  readonly firstRunAt?: string;
  readonly slot?: string;
  readonly topic?: readonly string[];
  readonly by?: string;
  readonly reason?: string;
  readonly json?: true;
}

export function runCommands(program: Command, context: Context): void {
  program
    .command('attach')
    .description('attach an agent to a conversation or a business')
    .argument('<agent>', 'its key, such as lead-qualification')
    .argument('<subject>', 'conversation/{id} or business; with another tenant before it: acme/conversation/42')
    .option('--tenant <tenant>', 'whose', 'demo')
    .option('--config <json>', 'the agent’s configuration, or @file')
    .option('--first-run-at <instant>', 'first tick; default at once')
    .option('--slot <slot>', 'another slot than the agent’s own')
    .option('--topic <topic...>', 'that it follows besides its agent’s own')
    .option('--by <name>', 'who asks')
    .option('--reason <text>', 'why')
    .option('--json', 'print the API’s object')
    .action(async (agent: string, subject: string, options: AttachOptions) =>
      attach(context, { agent, subject }, options),
    );
  watchable(program.command('runs'))
    .description('list runs')
    .option('--tenant <tenant>', 'whose', 'demo')
    .addOption(choice('--status <status>', RUN_STATUSES, 'that stand so'))
    .addOption(choice('--reason <reason>', END_REASONS, 'that ended for it'))
    .addOption(choice('--phase <phase>', PHASES, 'that do this now'))
    .option('--failing', 'whose latest wake-up failed')
    .option('--agent <agent>', 'of this agent')
    .option('--subject <subject>', 'on this subject')
    .option('--due-within <duration>', 'due soon, such as 1h')
    .addOption(choice('--sort <order>', SORTS, 'what comes first; trouble is what fails or is late'))
    .option('--limit <number>', '1 to 200', '50')
    .option('--cursor <cursor>', 'the next page')
    .option('--json', 'print the API’s object')
    .option('--q <text>', 'in conversation, contact and beginning of the id')
    .action(async ({ watch, ...options }: RunsOptions & WatchOption) =>
      watching(context, { watch }, async (at) => list(at, options)),
    );
  watchable(program.command('show'))
    .description('show one run')
    .argument('<run>', 'subject/slot or tenant/subject/slot, such as demo/conversation/1/answering')
    .option('--tenant <tenant>', 'whose', 'demo')
    .option('--timeline', 'its ticks, events, effects and acts')
    .option('--id <attachment>', 'an earlier attachment')
    .option('--json', 'print the API’s object')
    .action(async (run: string, { watch, ...options }: ShowOptions & WatchOption) =>
      watching(context, { watch }, async (at) => show(at, run, options)),
    );
  watchable(program.command('stats'))
    .description('count runs by status, reason and agent')
    .option('--tenant <tenant>', 'whose', 'demo')
    .option('--json', 'print the API’s object')
    .action(async ({ watch, ...options }: { tenant: string; json?: true } & WatchOption) =>
      watching(context, { watch }, async (at) => stats(at, options)),
    );
}

async function attach(
  { api, terminal }: Context,
  what: { agent: string; subject: string },
  options: AttachOptions,
): Promise<void> {
  const { tenant, subject } = subjectArgument(what.subject, options.tenant);
  const { slot, by, reason, topic: topics } = options;
  const config = options.config === undefined ? undefined : await jsonArgument('--config', options.config);
  const { body } = await api().post(tenant, '/runs', {
    agent: what.agent,
    subject,
    config,
    firstRunAt: instantOption('--first-run-at', options.firstRunAt),
    slot,
    topics,
    by,
    reason,
  });
  const run = body as Run;
  warn({ terminal }, body);
  terminal.out(options.json ? json(run) : `${run.agent} is attached as ${runName(run)}\n`);
}

const SORTS = ['newest', 'due', 'trouble'] as const satisfies readonly RunSort[];

interface RunsOptions {
  readonly tenant: string;
  readonly status?: string;
  readonly reason?: string;
  readonly phase?: string;
  readonly failing?: true;
  readonly agent?: string;
  readonly subject?: string;
  readonly dueWithin?: string;
  readonly q?: string;
  readonly sort?: string;
  readonly limit: string;
  readonly cursor?: string;
  readonly json?: true;
}

async function list(
  { api, terminal }: Context,
  { tenant, json: asJson, failing, ...query }: RunsOptions,
): Promise<void> {
  if (query.dueWithin !== undefined) durationOption('--due-within', query.dueWithin);
  if (!/^\d{1,3}$/.test(query.limit)) throw usage(`--limit must be 1 to 200, not "${query.limit}"`);
  const page = (await api().get(tenantOption(tenant), '/runs', {
    ...query,
    failing: failing && 'true',
  })) as Page<RunSummary>;
  if (asJson) {
    terminal.out(json(page));
    return;
  }
  if (page.items.length === 0) {
    terminal.out(`no such runs of tenant ${tenant}; another tenant is named with --tenant\n`);
    return;
  }
  terminal.out(runsTable(page.items, terminal.columns));
  if (page.nextCursor !== null) terminal.out(`more: --cursor ${page.nextCursor}\n`);
}

interface ShowOptions {
  readonly tenant: string;
  readonly timeline?: true;
  readonly id?: string;
  readonly json?: true;
}

async function show(
  { api, terminal }: Context,
  name: string,
  { tenant, timeline, id, json: asJson }: ShowOptions,
): Promise<void> {
  const ref = runArgument(name, tenant);
  const client = api();
  const run = (await client.get(ref.tenant, runPath(ref), { id })) as OneRun;
  if (timeline === undefined) {
    terminal.out(asJson ? json(run) : oneRun(run));
    return;
  }
  const page = (await client.get(ref.tenant, `${runPath(ref)}/timeline`, { id })) as Page<TimelineEntry>;
  terminal.out(asJson ? json(page) : `${oneRun(run)}\n${timelineTable(page.items, terminal.columns)}`);
}

async function stats({ api, terminal }: Context, options: { tenant: string; json?: true }): Promise<void> {
  const counts = (await api().get(tenantOption(options.tenant), '/stats')) as Stats;
  if (options.json) {
    terminal.out(json(counts));
    return;
  }
  const lines: [string, string][] = [
    ...Object.entries(counts.byStatus).map(([status, count]): [string, string] => [status, String(count)]),
    ...Object.entries(counts.byReason).map(([reason, count]): [string, string] => [`  ${reason}`, String(count)]),
    ...counts.byAgent.map(({ agent, status, count }): [string, string] => [`${agent} ${status}`, String(count)]),
    [
      'overdue',
      `${counts.lag.overdue}${counts.lag.overdue === 0 ? '' : `, the latest by ${Math.round(counts.lag.maxMs / 1_000)} s`}`,
    ],
  ];
  terminal.out(fields(lines));
}

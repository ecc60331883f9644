/** The first thing a newcomer sees: a conversation with an agent attached, watchers on a made-up business, commands to try. */
import { WATCHERS } from '../agents/registry.ts';
import type { Config } from '../config.ts';

const TENANT = 'demo';
const CONVERSATION = '1';
const AGENT = 'lead-qualification';

/** How the latest run on the demo's conversation stands. */
export interface DemoRun {
  readonly agent: string;
  readonly status: string;
  readonly reason: string | null;
}

/** The demo's customer exists since this instant: the same fact at every start. */
const BEGINNING = '2026-01-01T00:00:00Z';

/** The watchers begin after the demo's ERP is made up and the first greeting is out; an approval waits soon after. */
const WATCHERS_AFTER_MS = 10_000;

/** Through the API, as a CRM would: once, however often it starts. @throws {Error} when the API refuses. */
export async function seedDemo(config: Config, url: string): Promise<DemoRun | null> {
  if (!isDemo(config)) return null;
  const base = `${url}/v1/tenants/${TENANT}`;
  if (config.tenants[TENANT]?.erp !== undefined) await attachWatchers(base);
  const subject = `conversation/${CONVERSATION}`;
  const runs = (await ask(`${base}/runs?subject=${subject}&limit=1`)) as { items: DemoRun[] };
  if (runs.items[0] !== undefined) return runs.items[0];
  const contact = { address: 'demo-customer-1', name: 'Ana' };
  await ask(`${base}/events`, {
    id: 'demo-1',
    source: 'demo',
    type: 'conversation.opened',
    time: BEGINNING,
    subject,
    data: { contact },
  });
  await ask(`${base}/runs`, { agent: AGENT, subject, by: 'demo' });
  return { agent: AGENT, status: 'IN_PROGRESS', reason: null };
}

/** Each once: one that somebody has detached stays so. All at one instant, without jitter. */
async function attachWatchers(base: string): Promise<void> {
  const { items } = (await ask(`${base}/runs?subject=business&limit=200`)) as { items: { agent: string }[] };
  const firstRunAt = new Date(Date.now() + WATCHERS_AFTER_MS).toISOString();
  const missing = WATCHERS.filter(({ key }) => !items.some(({ agent }) => agent === key));
  await Promise.all(
    missing.map(async ({ key }) => ask(`${base}/runs`, { agent: key, subject: 'business', firstRunAt, by: 'demo' })),
  );
}

export function welcome(
  config: Config,
  at: { readonly url: string; readonly temporalUi: string | null; readonly demo: DemoRun | null },
): string {
  const lines = ['', `Attaché is ready.`, '', `  Console       ${at.url}`, `  API           ${at.url}/docs/api`];
  if (at.temporalUi !== null) lines.push(`  Temporal Web  ${at.temporalUi}`);
  lines.push('', ...(at.demo === null ? ownHints(config) : demoHints(at.demo, config)));
  return [...lines, '', 'Ctrl-C stops it; what sleeps goes on sleeping and is found again at the next start.'].join(
    '\n',
  );
}

function demoHints({ agent, status, reason }: DemoRun, { tenants }: Config): string[] {
  const run = `${TENANT}/conversation/${CONVERSATION}/answering`;
  const where = `conversation ${CONVERSATION} of tenant ${TENANT}`;
  const show = `  npx attache show ${run} --timeline`;
  if (status !== 'IN_PROGRESS')
    return [
      `On ${where}, ${agent} has ended: ${status} (${reason ?? ''}). Look at it, or attach it again:`,
      '',
      show,
      `  npx attache attach ${agent} conversation/${CONVERSATION}`,
    ];
  return [
    `An agent, ${agent}, is attached to ${where}. In another terminal, try:`,
    '',
    `  npx attache say ${CONVERSATION} "Hi, how much is it?"`,
    show,
    `  npx attache takeover ${run}`,
    ...watchersHints(tenants[TENANT]?.erp),
  ];
}

/** A configuration of one's own may name another ERP for the tenant, or none: then watchers have nothing to look at. */
function watchersHints(erp: Config['tenants'][string]['erp']): string[] {
  if (erp === undefined) return [];
  const watched = erp.kind === 'demo' ? 'a made-up business. In half a minute they propose' : 'its ERP. They propose';
  return [
    '',
    `Five watchers look after ${watched} what to do, and wait for you:`,
    '',
    '  npx attache investigations',
    '  npx attache approve ID',
  ];
}

/** With a configuration of one's own: its first tenant. Where a provider's customers write, a conversation has an id only they bring. */
function ownHints({ tenants, apiKeys }: Config): string[] {
  const [first] = Object.entries(tenants);
  if (first === undefined) return ['The configuration names no tenant: nothing can be attached yet.'];
  const [tenant, { channels, autoAttach }] = first;
  const key = apiKeys.length === 0 ? '' : ', with a key in ATTACHE_API_KEY';
  const provider = channels.find(({ kind }) => kind !== 'simulated')?.kind;
  const runs = `  npx attache runs --tenant ${tenant}`;
  if (provider === undefined)
    return [
      `In another terminal${key}, try:`,
      '',
      `  npx attache attach ${AGENT} conversation/1 --tenant ${tenant}`,
      runs,
    ];
  const attached =
    autoAttach.length === 0
      ? 'no agent is attached then: autoAttach of the configuration names one'
      : `autoAttach of the configuration attaches ${[...new Set(autoAttach.map(({ agent }) => agent))].join(', ')}`;
  return [
    `A conversation of tenant ${tenant} begins when a customer writes; ${attached}.`,
    `In another terminal${key}, play the provider, whose channel it prints, and look:`,
    '',
    `  npx attache simulate ${provider === 'generic' ? 'crm' : provider} --tenant ${tenant}`,
    `  npx attache conversations --tenant ${tenant}`,
    runs,
  ];
}

/** Only the built-in tenant on this machine alone: with keys, or a configuration of one's own, nothing is invented. */
function isDemo({ tenants, apiKeys }: Config): boolean {
  return apiKeys.length === 0 && tenants[TENANT]?.channels.some(({ kind }) => kind === 'simulated') === true;
}

async function ask(url: string, body?: object): Promise<unknown> {
  const response = await fetch(
    url,
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  );
  if (!response.ok && response.status !== 409)
    throw new Error(`the demo could not be set up: ${url} answered ${response.status}`);
  return response.json();
}

/** The first thing a newcomer sees: a conversation with an agent attached, and three commands to try. */
import type { Config } from '../config.ts';

const TENANT = 'demo';
const CONVERSATION = '1';
/** The demo's customer exists since this instant: the same fact at every start. */
const BEGINNING = '2026-01-01T00:00:00Z';

/** Through the API, as a CRM would: once, however often it starts. @throws {Error} when the API refuses. */
export async function seedDemo(config: Config, url: string): Promise<void> {
  if (!isDemo(config)) return;
  const base = `${url}/v1/tenants/${TENANT}`;
  const subject = `conversation/${CONVERSATION}`;
  const runs = (await ask(`${base}/runs?subject=${subject}&limit=1`)) as { items: unknown[] };
  if (runs.items.length > 0) return;
  const contact = { address: 'demo-customer-1', name: 'Ana' };
  await ask(`${base}/events`, {
    id: 'demo-1',
    source: 'demo',
    type: 'conversation.opened',
    time: BEGINNING,
    subject,
    data: { contact },
  });
  await ask(`${base}/runs`, { agent: 'lead-qualification', subject, by: 'demo' });
}

export function welcome(config: Config, at: { readonly url: string; readonly temporalUi: string | null }): string {
  const lines = ['', `Attaché is ready.`, '', `  API           ${at.url}`, `  API document  ${at.url}/openapi.json`];
  if (at.temporalUi !== null) lines.push(`  Temporal Web  ${at.temporalUi}`);
  if (isDemo(config))
    lines.push(
      '',
      'An agent, lead-qualification, is attached to conversation 1 of tenant demo. In another terminal, try:',
      '',
      `  npx attache say ${CONVERSATION} "Hi, how much is it?"`,
      `  npx attache show ${TENANT}/conversation/${CONVERSATION}/answering --timeline`,
      `  npx attache takeover ${TENANT}/conversation/${CONVERSATION}/answering`,
    );
  return [...lines, '', 'Ctrl-C stops it; what sleeps goes on sleeping and is found again at the next start.'].join(
    '\n',
  );
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

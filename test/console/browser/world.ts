/**
 * One real `attache dev` with data that was made through its API and simulators, and one real Chromium, for all the
 * console's tests. Each test gets a page of its own; what one does to a run, another must not need.
 */
import type { Browser } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { newPlace, startDev, type Dev } from '../../support/attache.ts';
import { startChromium } from '../../support/chromium.ts';
import { openGate, type Gate } from '../../support/gate.ts';
import { SECRET, startReceiver, type Receiver } from '../../support/receiver.ts';
import { asleep, tenantApi, type TenantApi } from '../../support/tenant-api.ts';
import { until } from '../../support/until.ts';

/** Who may do all, and who may only look. */
export const KEYS = { admin: 'key-of-the-office', viewer: 'key-of-somebody-who-looks' } as const;

export interface World {
  readonly dev: Dev;
  readonly api: TenantApi;
  readonly browser: Browser;
  readonly gate: Gate;
  readonly receiver: Receiver;
}

let world: World | undefined;
const place = newPlace();
const ends: (() => Promise<unknown>)[] = [];

export function theWorld(): World {
  if (world === undefined) throw new Error('the world begins with the first test');
  return world;
}

export const mochaHooks = {
  async beforeAll(this: { timeout(ms: number): void }): Promise<void> {
    this.timeout(180_000);
    world = await begin();
    await settle(world);
  },
  /** The last that was started goes first; Chromium and the processes would outlive the tests. */
  async afterAll(this: { timeout(ms: number): void }): Promise<void> {
    this.timeout(60_000);
    for (const end of ends.reverse()) await end();
    place.leave();
  },
};

async function begin(): Promise<World> {
  const gate = await openGate();
  ends.push(async () => gate.close());
  const receiver = await startReceiver();
  ends.push(async () => receiver.close());
  const browser = await startChromium();
  ends.push(async () => browser.close());
  place.configure(configuration(receiver.url));
  const env = { ATTACHE_API_KEYS: `office:admin:*:${KEYS.admin},guest:viewer:demo:${KEYS.viewer}` };
  const dev = await startDev({ place, withAgents: true, env });
  ends.push(async () => dev.stop());
  return { dev, api: tenantApi(dev.url, 'demo', KEYS.admin), browser, gate, receiver };
}

function configuration(endpoint: string): object {
  const policy = { quietHours: null, debounce: { quiet: '0s', max: '0s' } };
  const agents = { 'lead-qualification': { policy } };
  return {
    tenants: {
      demo: {
        timeZone: 'America/Sao_Paulo',
        erp: { kind: 'demo', size: 'small' },
        channels: [{ kind: 'simulated' }, { kind: 'generic', webhookSecret: SECRET }],
        webhooks: [{ id: 'crm', url: endpoint, secret: SECRET, allowPrivateNetwork: true }],
        agents,
      },
      acme: { timeZone: 'Europe/Lisbon', channels: [{ kind: 'simulated' }], agents },
      loja: { timeZone: 'America/Sao_Paulo', erp: { kind: 'demo', size: 'small' } },
    },
  };
}

/** What an operator finds in the morning: some asleep, one talking, one failing, one paused, one ended, a dead letter. */
async function settle({ api, dev, gate }: World): Promise<void> {
  const opened = async (id: string, name: string) =>
    api.post('/events', {
      ...{ id: `opened-${id}`, source: 'test', type: 'conversation.opened', time: '2026-01-01T00:00:00Z' },
      subject: `conversation/${id}`,
      data: { contact: { address: `customer-${id}`, name, timeZone: 'America/Sao_Paulo' } },
    });
  const names = ['Ana Lima', 'Bruno Sá', 'Carla Reis', 'Davi Melo', 'Elisa Prado', 'Fábio Luz', 'Gina Alves'];
  for (const [n, name] of names.entries()) {
    await opened(String(n + 1), name);
    await api.attach(String(n + 1));
  }
  await api.runWhen('1', 'asleep', asleep);
  await api.hears('1', 'Olá, quanto custa?');
  await until('an answer', async () => (await api.said('1')).length > 1);
  await api.act('2', 'pause', { reason: 'on holiday' });
  await api.post('/events', {
    ...{ id: 'human-3', source: 'test', type: 'message.outbound', time: new Date().toISOString() },
    subject: 'conversation/3',
    data: { author: 'human', by: 'rui', content: { kind: 'text', text: 'Deixa comigo.' } },
  });
  await api.runWhen('3', 'over', ({ status }) => status === 'EXITED_ON_OUTBOUND');
  await opened('failing', 'Helena Cruz');
  await api.attach('failing', { agent: 'gate', config: { gate: gate.url } });
  // Longer than a message may be: the agent's own fault, which is counted.
  (await gate.arrival('failing', 1)).pass('x'.repeat(5_000));
  await api.runWhen('failing', 'failing', ({ failures }) => failures > 0);
  for (const shelf of ['A', 'B'])
    await api.post('/runs', {
      agent: 'shelf',
      subject: 'business',
      slot: `shelf-${shelf.toLowerCase()}`,
      config: { shelf },
    });
  await until('two proposals', async () => {
    const { body } = await api.get<{ items: unknown[] }>('/investigations?status=proposed');
    return body.items.length === 2;
  });
  await unreadable(dev.url);
}

/** A webhook that is signed and says nothing anybody understands. */
async function unreadable(url: string): Promise<void> {
  const body = JSON.stringify({ type: 'no.such.type', id: 'letter-1' });
  const at = new Date();
  await fetch(`${url}/webhooks/generic/demo`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': 'letter-1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(SECRET).sign('letter-1', at, body),
    },
    body,
  });
}

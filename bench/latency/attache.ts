/** Attaché as `npm start` runs it: a signed WhatsApp webhook over HTTP, PGlite, the embedded Temporal, an agent with debounce 0. */
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/machine/ports.ts';
import { newPlace, startDev } from '../../test/support/attache.ts';
import { Meta } from '../../test/support/meta.ts';
import { tenantApi, type TenantApi } from '../../test/support/tenant-api.ts';
import { until } from '../../test/support/until.ts';
import { now, SLEEPERS, type Engine } from './engine.ts';

const [NUMBER, SECRET] = ['100200300', 'app-secret'];

/** To ask fifty timelines is more work than the events themselves: not before the last of these has surely begun. */
const SETTLED_MS = 1_000;

export interface AttacheEngine extends Engine {
  /** Its Temporal: what is compared with it uses the very same. */
  readonly temporalAddress: string;
  /** From POST to 200 of each event, ms. */
  readonly answered: readonly number[];
}

export async function startAttache(): Promise<AttacheEngine> {
  const place = newPlace();
  const keys = { accessToken: 'token', appSecret: SECRET, verifyToken: 'verify', apiUrl: 'http://127.0.0.1:9' };
  place.configure({
    tenants: {
      acme: {
        channels: [{ kind: 'whatsapp', phoneNumberId: NUMBER, ...keys }],
        autoAttach: [{ on: 'conversation.opened', agent: 'parrot', config: { isMute: true } }],
      },
    },
  });
  const port = await freePort({ port: undefined, purpose: 'the API', variable: 'PORT' });
  const dev = await startDev({ place, withAgents: true, env: { PORT: String(port) } });
  const api = tenantApi(dev.url, 'acme');
  const meta = new Meta({ url: api.webhook('whatsapp'), number: NUMBER, secret: SECRET });
  const phoneOf = (n: number) => `1202555${String(1_000 + (n % SLEEPERS))}`;
  for (let n = 0; n < SLEEPERS; n += 1) await meta.says(phoneOf(n), 'Hi');
  await until('all to be asleep', async () => {
    const runs = await runsOf(api);
    return runs.length === SLEEPERS && runs.every(({ phase, ticks }) => phase === 'asleep' && ticks > 0);
  });
  const answered: number[] = [];
  return {
    name: 'Attaché: webhook → tick',
    temporalAddress: dev.temporal.address,
    answered,
    async send(n) {
      const body = meta.messageBody(phoneOf(n), { id: `wamid.${n}`, text: String(n) });
      const at = now();
      if ((await meta.post(body)) !== 200) throw new Error('a webhook was refused');
      answered.push(now() - at);
    },
    async begun(events) {
      await sleep(SETTLED_MS);
      return until('every event to be consumed', async () => ticksOf(api, events));
    },
    async close() {
      await dev.stop();
      place.leave();
    },
  };
}

async function runsOf(api: TenantApi) {
  const { body } = await api.get<{ items: { subject: string; phase: string; ticks: number }[] }>('/runs?limit=200');
  return body.items;
}

interface Entry {
  readonly entry: string;
  readonly at: string;
  readonly text?: string | null;
  readonly events?: readonly string[];
}

/** By each run's timeline: ticks consume events in the order in which they were stored. */
async function ticksOf(api: TenantApi, events: readonly number[]): Promise<ReadonlyMap<number, number> | undefined> {
  const begun = new Map<number, number>();
  for (const { subject } of await runsOf(api)) {
    const { body } = await api.get<{ items: Entry[] }>(`/runs/${subject}/answering/timeline`);
    const told = body.items.filter(({ entry }) => entry === 'event');
    for (const { entry, at, events: consumed = [] } of body.items)
      if (entry === 'tick')
        for (const { text } of told.splice(0, consumed.length))
          if (text != null) begun.set(Number(text), Date.parse(at));
  }
  return events.every((n) => begun.has(n)) ? begun : undefined;
}

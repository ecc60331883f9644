/**
 * What a newcomer waits for: `attache dev` in an empty folder, and again in the same one, until it says that it is ready; and
 * the answer to a burst of messages, from the last webhook to the call of the Graph API (a stub), debounce and all.
 */
import { loadavg } from 'node:os';
import { startWhatsAppSimulator } from '../src/channels/simulated/graph-server.ts';
import { freePort } from '../src/machine/ports.ts';
import { launch, newPlace, printed, type Running, type Start } from '../test/support/attache.ts';
import { Meta } from '../test/support/meta.ts';

const [TOKEN, SECRET] = ['graph-token', 'app-secret'];
const NUMBER = '100200300';
/** What the issue asks for, in ms; nothing is said of a fresh start. */
const WANTED = { 'fresh start': null, 'second start': 15_000, 'burst to Graph call': 3_000 } as const;

export async function start(): Promise<void> {
  const place = newPlace();
  const port = await freePort({ port: undefined, purpose: 'the API', variable: 'PORT' });
  const webhookUrl = `http://127.0.0.1:${port}/webhooks/whatsapp/acme`;
  const number = { phoneNumberId: NUMBER, appSecret: SECRET, accessToken: TOKEN, webhookUrl };
  const graph = await startWhatsAppSimulator({ ...number, statuses: [] });
  const channel = { kind: 'whatsapp', phoneNumberId: NUMBER, apiUrl: graph.url, accessToken: TOKEN, appSecret: SECRET };
  place.configure({
    tenants: {
      acme: {
        channels: [{ ...channel, verifyToken: 'verify-me' }],
        autoAttach: [{ on: 'conversation.opened', agent: 'lead-qualification', config: {} }],
      },
    },
  });
  const how: Start = { place, env: { PORT: String(port) } };
  try {
    const fresh = await ready(how);
    await fresh.running.stop();
    const second = await ready(how);
    const meta = new Meta({ url: webhookUrl, number: NUMBER, secret: SECRET });
    const phone = '12025550101';
    for (const text of ['Hi', 'I saw your offer']) await meta.says(phone, text);
    const sent = graph.waitForSent(1);
    const beganAt = performance.now();
    await meta.says(phone, 'how much is it?');
    await sent;
    const burst = performance.now() - beganAt;
    await second.running.stop();
    report({ 'fresh start': fresh.took, 'second start': second.took, 'burst to Graph call': burst });
  } finally {
    place.leave();
    await graph.close();
  }
}

async function ready(how: Start): Promise<{ readonly running: Running; readonly took: number }> {
  const beganAt = performance.now();
  const running = launch(how);
  await printed(running, /Attaché is ready\./);
  return { running, took: performance.now() - beganAt };
}

function report(took: Readonly<Record<keyof typeof WANTED, number>>): void {
  console.log(`\nload ${loadavg()[0]?.toFixed(1)}\n\n| until | s | wanted |\n|---|---|---|`);
  for (const [what, ms] of Object.entries(took)) {
    const wanted = WANTED[what as keyof typeof WANTED];
    console.log(`| ${what} | ${(ms / 1_000).toFixed(2)} | ${wanted === null ? '' : `< ${wanted / 1_000}`} |`);
  }
}

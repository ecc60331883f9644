/**
 * How fast facts are stored: the desk's `intake.store` on PGlite and, where TEST_DATABASE_URL names a server, on
 * PostgreSQL. One after another, since what is measured is how long a webhook waits; the last column says how many go
 * through when eight come at once.
 */
import { randomUUID } from 'node:crypto';
import { cpus, loadavg } from 'node:os';
import type { IntakeItem } from '../src/desk/desk.ts';
import { DATABASES, openTestDesk } from '../test/support/desk.ts';
import { ACME, channelFact, fact, text } from '../test/support/facts.ts';
import { conversationSubject, parseConversationId } from '../src/domain/ids.ts';

const FACTS = 100;
/** Compilers and caches warm up. */
const UNMEASURED = 20;
const AT_ONCE = 8;

type Make = (n: number) => IntakeItem;

/** Facts as they come: a customer who is known writes again, a stranger writes, a provider repeats itself, a CRM tells of a conversation. */
function kinds(): Readonly<Record<string, Make>> {
  const known = randomUUID();
  const repeated = channelFact(`${known}-0`, { type: 'message.inbound', data: text('Hi') });
  const own = conversationSubject(parseConversationId(`c${known}`));
  return {
    'known conversation': (n) => inbound(`${known}-${n % 20}`),
    'new contact': (n) => inbound(`${randomUUID()}-${n}`),
    duplicate: () => repeated,
    'over the API': (n) =>
      fact(own, { type: 'message.inbound', data: { ...text(`message ${n}`), contact: { address: known } } }),
    'status of an unknown message': () =>
      channelFact(known, { type: 'message.status', data: { providerId: randomUUID(), status: 'delivered' } }),
  };
}

function inbound(address: string): IntakeItem {
  const data = { ...text(`It is ${address} again.`), providerId: randomUUID() };
  return channelFact(address, { type: 'message.inbound', ref: { aliases: [`+${address}`], name: 'Ana' }, data });
}

export async function intake(): Promise<void> {
  const load = loadavg().map((one) => one.toFixed(2));
  console.log(`node ${process.version}, ${cpus().length} cores, load ${load.join(' ')}; ${FACTS} facts of each kind\n`);
  console.log('| desk | fact | p50 ms | p99 ms | per second, one by one | eight at once |\n|---|---|---|---|---|---|');
  for (const kind of DATABASES) {
    const opened = await openTestDesk(kind);
    const store = async (item: IntakeItem) => opened.desk.intake.store(item);
    for (const [name, make] of Object.entries(kinds())) {
      for (let n = 0; n < UNMEASURED; n += 1) await store(make(n));
      const took: number[] = [];
      for (let n = 0; n < FACTS; n += 1) took.push(await timed(async () => store(make(n))));
      const together = await timed(async () => {
        const lanes = Array.from({ length: AT_ONCE }, async (_, lane) => {
          for (let n = lane; n < FACTS; n += AT_ONCE) await store(make(n));
        });
        await Promise.all(lanes);
      });
      const total = took.reduce((sum, one) => sum + one, 0);
      const figures = [quantile(took, 0.5).toFixed(1), quantile(took, 0.99).toFixed(1)];
      const speeds = [total, together].map((ms) => ((FACTS * 1_000) / ms).toFixed(0));
      console.log(`| ${[kind, name, ...figures, ...speeds].join(' | ')} |`);
    }
    await opened.close();
  }
  console.log(`\ntenant ${ACME}; load afterwards ${loadavg()[0]?.toFixed(2)}`);
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * q)] ?? Number.NaN;
}

/**
 * `npm run chaos -- hand-back`: a human answers and falls silent, and after a minute, which is as short as a policy may say,
 * the conversation is back with its agent. A real `attache dev` and a CRM's server; a minute and a half.
 */
import { newPlace, startDev } from '../support/attache.ts';
import { openCrmBusiness } from '../support/crm-business.ts';
import { tenantApi, type Json, type RunBody } from '../support/tenant-api.ts';
import { until } from '../support/until.ts';

const CONVERSATION = '42';
const PATIENCE_MS = 3 * 60_000;

/** @returns whether every rule was kept. */
export async function handBack(): Promise<boolean> {
  const place = newPlace();
  const crm = await openCrmBusiness([CONVERSATION]);
  try {
    const policy = { quietHours: null, debounce: { quiet: '0s', max: '0s' }, handBackAfter: '1m' };
    const rule = { on: 'message.inbound', agent: 'lead-qualification' };
    place.configure({
      tenants: { acme: { ...crm.settings, autoAttach: [rule], agents: { 'lead-qualification': { policy } } } },
    });
    const dev = await startDev({ place });
    const api = tenantApi(dev.url, 'acme');
    const tells = async (type: string, words: string, more: Json = {}) =>
      crm.tells(api.webhook('generic'), CONVERSATION, type, { content: { kind: 'text', text: words }, ...more });
    const written = () => crm.written(CONVERSATION).length;
    const when = async (what: string, wanted: (run: RunBody) => boolean) =>
      until(what, async () => wanted(await api.run(CONVERSATION)), PATIENCE_MS);

    await tells('message.inbound', 'Hello');
    await until('an answer', () => written() === 1);
    const first = await api.run(CONVERSATION);
    await tells('message.outbound', 'One moment', { author: 'human' });
    await when('it to be taken over', ({ status }) => status === 'EXITED_ON_OUTBOUND');
    const silentSince = performance.now();
    await when('it to be back', (run) => run.id !== first.id && run.phase === 'asleep' && run.ticks > 0);
    const seconds = Math.round((performance.now() - silentSince) / 1_000);
    const unasked = written() - 1;
    await tells('message.inbound', 'Are you still there?');
    await until('the next answer', () => written() > 1);
    const { body } = await api.get<{ items: Json[] }>(`/runs/conversation/${CONVERSATION}/answering/timeline`);
    const acts = body.items
      .filter(({ entry }) => entry === 'act')
      .map(({ act, actor, comment }) => ({ act, actor, comment }));
    const rows = { 'seconds of silence': seconds, 'said unasked': unasked, acts: JSON.stringify(acts) };
    console.log('| hand-back | |\n|---|---|');
    for (const [name, value] of Object.entries(rows)) console.log(`| ${name} | ${value} |`);
    return seconds >= 58 && unasked === 0 && acts.some(({ act, actor }) => act === 'handback' && actor === 'system');
  } finally {
    place.leave();
    await crm.close();
  }
}

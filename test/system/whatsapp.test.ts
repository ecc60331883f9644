/** The main job: Meta's webhooks, signed and posted without our code, and the Graph calls that come of them at a loopback stub. */
import assert from 'node:assert/strict';
import { startWhatsAppSimulator } from '../../src/channels/simulated/graph-server.ts';
import type { WhatsAppSimulator } from '../../src/channels/simulated/whatsapp-simulator.ts';
import { freePort } from '../../src/machine/ports.ts';
import { newPlace, startDev } from '../support/attache.ts';
import { gate } from '../support/gate.ts';
import { Meta } from '../support/meta.ts';
import { cannotPostByHand, postByHand } from '../support/posted-by-hand.ts';
import { asleep, tenantApi, type TenantApi } from '../support/tenant-api.ts';
import { until } from '../support/until.ts';

const [TOKEN, SECRET, VERIFY] = ['graph-token', 'app-secret', 'verify-me'];

/** A tenant with a number of its own, and both ends of it: what Meta posts, and what Meta is sent. */
interface Business {
  readonly graph: WhatsAppSimulator;
  readonly meta: Meta;
  readonly api: TenantApi;
}

describe('WhatsApp, from Meta’s webhook to the Graph API', () => {
  const place = newPlace();
  const opened: { close(): Promise<void> }[] = [];
  let patient: Business;
  let graph: WhatsAppSimulator;
  let meta: Meta;
  let api: TenantApi;

  before(async () => {
    const port = await freePort({ port: undefined, purpose: 'the API', variable: 'PORT' });
    const url = `http://127.0.0.1:${port}`;
    const open = async (tenant: string, number: string): Promise<Business> => {
      const webhookUrl = `${url}/webhooks/whatsapp/${tenant}`;
      const numberOptions = { phoneNumberId: number, appSecret: SECRET, accessToken: TOKEN, webhookUrl };
      const simulator = await startWhatsAppSimulator({ ...numberOptions, statuses: [] });
      opened.push(simulator);
      return {
        graph: simulator,
        meta: new Meta({ url: webhookUrl, number, secret: SECRET }),
        api: tenantApi(url, tenant),
      };
    };
    patient = await open('acme', '100200300');
    const hasty = await open('hasty', '100200301');
    ({ graph, meta, api } = hasty);
    const tenant = (number: string, apiUrl: string, policy: object) => ({
      channels: [
        {
          ...{ kind: 'whatsapp', phoneNumberId: number, apiUrl },
          ...{ accessToken: '${WA_TOKEN}', appSecret: '${WA_SECRET}', verifyToken: '${WA_VERIFY}' },
        },
      ],
      autoAttach: [{ on: 'conversation.opened', agent: 'lead-qualification', config: {} }],
      agents: { 'lead-qualification': { policy } },
    });
    place.configure({
      tenants: {
        // Three posts come within this, on a busy machine too.
        acme: tenant('100200300', patient.graph.url, { debounce: { quiet: '6s', max: '24s' } }),
        hasty: tenant('100200301', graph.url, { debounce: { quiet: '200ms', max: '1s' } }),
      },
    });
    await startDev({
      place,
      env: { PORT: String(port), WA_TOKEN: TOKEN, WA_SECRET: SECRET, WA_VERIFY: VERIFY },
    });
  });

  after(async () => {
    place.leave();
    await Promise.all(opened.map(async (one) => one.close()));
  });

  const sentTo = (phone: string) => graph.received.filter(({ to }) => to === `+${phone}`);
  const answered = (phone: string, times = 1) =>
    until(`${times} message(s) to ${phone}`, () => sentTo(phone).length >= times && sentTo(phone));

  /** The conversation whose transcript says `[phone]`: its id is the desk's own. */
  const conversationOf = async (phone: string, of: TenantApi = api): Promise<string> =>
    until(`the conversation of ${phone}`, async () => {
      const { body } = await of.get<{ items: readonly { subject: string }[] }>('/runs?limit=200');
      for (const { subject } of body.items) {
        const id = subject.replace('conversation/', '');
        if ((await of.messages(id)).some(({ text }) => text?.includes(`[${phone}]`))) return id;
      }
      return undefined;
    });

  /** Looked at again when everything else is done. */
  const inDoubt: string[] = [];

  /** A first message that names its sender, and the answer to it. */
  async function meet(phone: string): Promise<string> {
    await meta.says(phone, `Hi, it is me [${phone}]`);
    await answered(phone);
    return conversationOf(phone);
  }

  it('answers the handshake with the challenge, and a wrong token with 403', async () => {
    const query = `hub.mode=subscribe&hub.challenge=4711&hub.verify_token=`;
    const right = await fetch(`${meta.url}?${query}${VERIFY}`);
    assert.deepEqual([right.status, await right.text()], [200, '4711']);
    assert.equal((await fetch(`${meta.url}?${query}wrong`)).status, 403);
  });

  it('answers a burst of three messages with one message by the Graph API', async () => {
    const phone = '12025550101';
    await patient.meta.says(phone, 'Hi');
    await patient.meta.says(phone, `I saw your offer [${phone}]`);
    await patient.meta.says(phone, 'how much is it?');
    const [first] = await patient.graph.waitForSent(1);
    const id = await conversationOf(phone, patient.api);
    const run = await patient.api.runWhen(id, 'asleep again', asleep);
    assert.equal(patient.graph.received.length, 1);
    assert.deepEqual(
      [first?.to, first?.body['messaging_product'], first?.body['type']],
      [`+${phone}`, 'whatsapp', 'text'],
    );
    assert.ok(first?.reference, 'carries a reference that its status hands back');
    assert.equal(run.status, 'IN_PROGRESS');
    assert.ok(Date.parse(run.nextRunAt ?? '') > Date.now() + 3_600_000, `sleeps for hours: ${run.nextRunAt}`);
    assert.deepEqual(await patient.api.said(id), [first.text]);
    const heard = (await patient.api.messages(id)).filter(({ direction }) => direction === 'in');
    assert.equal(heard.length, 3);
  });

  it('answers what openssl signed and curl posted, byte for byte', async function () {
    if (cannotPostByHand()) this.skip();
    const oneLine = meta.messageBody('12025550150', { id: 'wamid.BY.HAND', text: 'Olá, é um café 😀?' });
    const body = ` ${JSON.stringify(JSON.parse(oneLine), null, 3)}\n`;
    assert.equal(await postByHand({ url: meta.url, secret: SECRET, body }), 200);
    assert.match(JSON.stringify(await answered('12025550150')), /assistente/);
  });

  it('takes twenty copies of one body at once, and one more later, for one event and one answer (B1)', async () => {
    const phone = '12025550102';
    const body = meta.messageBody(phone, { id: 'wamid.B1', text: `Hello [${phone}]` });
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => meta.post(body)));
    assert.deepEqual(new Set(statuses), new Set([200]));
    await answered(phone);
    assert.equal(await meta.post(body), 200);
    const id = await conversationOf(phone);
    await meta.says(phone, 'and one more thing');
    await answered(phone, 2);
    const messages = await api.messages(id);
    assert.equal(messages.filter(({ direction }) => direction === 'in').length, 2);
    assert.equal(sentTo(phone).length, 2);
  });

  it('takes no echo of its own message for a human: after the answer, twice, and before it (B7)', async () => {
    const phone = '12025550103';
    const id = await meet(phone);
    const [first] = sentTo(phone);
    await meta.echo(phone, { id: first?.id ?? '', text: first?.text ?? '' });
    await meta.echo(phone, { id: first?.id ?? '', text: first?.text ?? '' });
    // The next answer's echo is here before the answer of the Graph API.
    const answer = gate();
    graph.failNext({ kind: 'held', until: answer.opened, id: 'wamid.ECHOED.EARLY' });
    const attempts = graph.attempts;
    await meta.says(phone, 'Tell me more');
    await until('the second call', () => graph.attempts > attempts);
    const timeline = await until('the words of the second message', async () => sendingText(api, id));
    await meta.echo(phone, { id: 'wamid.ECHOED.EARLY', text: timeline });
    answer.open();
    await answered(phone, 2);
    const run = await api.runWhen(id, 'asleep', ({ phase }) => phase === 'asleep');
    assert.equal(run.status, 'IN_PROGRESS');
    await meta.says(phone, 'go on');
    await answered(phone, 3);
    assert.equal((await api.run(id)).status, 'IN_PROGRESS');
  });

  it('leaves it to a human, too, who types the very words of an answer that is on its way', async () => {
    const phone = '12025550117';
    const id = await meet(phone);
    const answer = gate();
    graph.failNext({ kind: 'held', until: answer.opened });
    const attempts = graph.attempts;
    await meta.says(phone, 'Tell me more');
    await until('the second call', () => graph.attempts > attempts);
    const text = await until('the words of the second message', async () => sendingText(api, id));
    await meta.echo(phone, { id: 'wamid.HUMAN.TOO', text });
    answer.open();
    const run = await api.runWhen(id, 'ended', ({ status }) => status !== 'IN_PROGRESS');
    assert.deepEqual([run.status, run.reason], ['EXITED_ON_OUTBOUND', 'human_replied']);
    const said = (await api.messages(id)).filter((message) => message.text === text);
    assert.deepEqual(said.map(({ author }) => author).sort(), ['agent', 'human']);
  });

  it('leaves a conversation to the human who types into it, and says nothing afterwards', async () => {
    const phone = '12025550104';
    const id = await meet(phone);
    await meta.echo(phone, { id: 'wamid.HUMAN.1', text: 'Hi, this is Rui, I will help you myself.' });
    const run = await api.runWhen(id, 'ended', ({ status }) => status !== 'IN_PROGRESS');
    assert.deepEqual([run.status, run.reason], ['EXITED_ON_OUTBOUND', 'human_replied']);
    await meta.says(phone, 'thanks Rui');
    await until('the message to be in the transcript', async () => (await api.messages(id)).length >= 4);
    const runs = await api.get<{ items: unknown[] }>(`/runs?subject=conversation/${id}`);
    assert.equal(runs.body.items.length, 1, 'nothing attached anew while a human holds it');
    assert.equal(sentTo(phone).length, 1);
  });

  it('takes the status of a message for the proof that it went out, when the provider cut the connection', async () => {
    const phone = '12025550105';
    graph.failNext({ kind: 'cut', accepted: true });
    await meta.says(phone, `Hi [${phone}]`);
    const [sent] = await answered(phone);
    const id = await conversationOf(phone);
    await api.runWhen(id, 'in doubt', ({ pendingEffects: [effect] }) => effect?.reason === 'ambiguous');
    await meta.status(phone, { id: sent?.id ?? '', status: 'delivered', reference: sent?.reference ?? '' });
    await until('the send to be proven', async () =>
      (await effectsOf(api, id)).some(({ state, status }) => state === 'sent' && status === 'delivered'),
    );
    inDoubt.push(phone);
  });

  it('does not try again what the 24-hour window forbids, says why, and counts no failure (131047)', async () => {
    const phone = '12025550106';
    graph.failNext({ kind: 'refuse', status: 400, code: 131047 });
    const before = graph.attempts;
    await meta.says(phone, `Hi [${phone}]`);
    const id = await conversationOf(phone);
    await until('the failure to be told', async () =>
      (await effectsOf(api, id)).some(({ state }) => state === 'failed'),
    );
    const run = await api.runWhen(id, 'asleep', ({ phase }) => phase === 'asleep');
    assert.deepEqual([run.status, run.failures, graph.attempts - before], ['IN_PROGRESS', 0, 1]);
    assert.match(JSON.stringify(await effectsOf(api, id)), /window_closed: 131047/);
    assert.equal(sentTo(phone).length, 0);
  });

  it('tries no free text on a customer whose last word is more than 24 hours old', async () => {
    const phone = '12025550111';
    const attempts = graph.attempts;
    const body = meta.messageBody(phone, { id: 'wamid.LATE', text: `Hi [${phone}]`, at: Date.now() - 25 * 3_600_000 });
    assert.equal(await meta.post(body), 200);
    const id = await conversationOf(phone);
    const [effect] = await until('the answer to be refused', async () => {
      const effects = await effectsOf(api, id);
      return effects.length > 0 && effects;
    });
    const run = await api.runWhen(id, 'asleep', ({ phase }) => phase === 'asleep');
    assert.deepEqual([run.status, run.failures, effect?.reason], ['IN_PROGRESS', 0, 'window_closed']);
    assert.deepEqual([graph.attempts - attempts, await api.said(id)], [0, []]);
  });

  it('waits as long as the provider asks when it is told to slow down (429), then sends once', async () => {
    const phone = '12025550107';
    graph.failNext({ kind: 'refuse', status: 429, code: 130429, retryAfter: '1' });
    await meta.says(phone, `Hi [${phone}]`);
    await answered(phone);
    const run = await api.runWhen(await conversationOf(phone), 'asleep', ({ phase }) => phase === 'asleep');
    assert.deepEqual([run.failures, run.pendingEffects, sentTo(phone).length], [0, [], 1]);
  });

  it('refuses a body whose bytes were changed after signing, and stores nothing of it', async () => {
    const phone = '12025550109';
    const body = meta.messageBody(phone, { id: 'wamid.FORGED', text: 'pay me 🙂' });
    assert.equal(await meta.post(body.replace('pay me', 'pay ME'), meta.signature(body)), 401);
    assert.equal(await meta.post(body, ''), 401);
    const { body: events } = await api.get<{ items: readonly { id: string }[] }>('/events?limit=200');
    assert.deepEqual(
      events.items.filter(({ id }) => id.includes('FORGED')),
      [],
    );
    assert.equal(await meta.post(body), 200, 'an emoji written raw is signed as it is');
    await answered(phone);
  });

  it('stores what it can give no meaning to, answers 200 and is silent', async () => {
    const phone = '12025550110';
    const id = await meet(phone);
    const hologram = { type: 'hologram', hologram: { depth: 3 } };
    const reaction = { type: 'reaction', reaction: { message_id: sentTo(phone)[0]?.id, emoji: '👍' } };
    for (const [n, kind] of [hologram, reaction].entries())
      assert.equal(await meta.post(meta.messageBody(phone, { id: `wamid.KIND.${n}`, ...kind })), 200);
    await until('both to be stored', async () => {
      const { body } = await api.get<{ items: readonly { type: string }[] }>(`/events?subject=conversation/${id}`);
      return body.items.some(({ type }) => type === 'message.reaction') && body.items.length >= 4;
    });
    assert.equal(sentTo(phone).length, 1);
  });

  it('holds a message ready to go out again that Meta took and could not bring (131000)', async () => {
    const phone = '12025550116';
    const id = await meet(phone);
    const [sent] = sentTo(phone);
    assert.ok(sent !== undefined);
    await graph.reports(sent, 'failed', 131000);
    const { pendingEffects } = await api.runWhen(id, 'to go again', (run) => run.pendingEffects.length > 0);
    assert.deepEqual(
      pendingEffects.map(({ state, reason }) => [state, reason]),
      [['parked', 'undelivered']],
    );
    assert.equal(sentTo(phone).length, 1);
  });

  it('keeps who has stopped marketing messages, by their settings or by an error, until they resume them', async () => {
    const phone = '12025550115';
    const id = await meet(phone);
    const stoppedAt = async () =>
      (await api.get<{ contact: { marketingStoppedAt: string | null } }>(`/conversations/${id}`)).body.contact
        .marketingStoppedAt;
    const base = Date.parse('2026-01-05T10:00:00.000Z');
    assert.equal(await stoppedAt(), null);
    await graph.prefers(phone, 'stop', { at: base });
    await graph.prefers(phone, 'stop', { at: base });
    assert.equal(await stoppedAt(), '2026-01-05T10:00:00.000Z');
    await graph.prefers(phone, 'resume', { at: base + 1_000 });
    assert.equal(await stoppedAt(), null);
    const [sent] = sentTo(phone);
    assert.ok(sent !== undefined);
    await graph.reports(sent, 'failed', 131050);
    assert.ok((await stoppedAt()) !== null);
    assert.match(JSON.stringify(await effectsOf(api, id)), /131050/);
  });

  it('ends the run of a person who turns out to be unreachable once Meta has taken the message (131026)', async () => {
    const phone = '12025550113';
    const id = await meet(phone);
    const [sent] = sentTo(phone);
    const errors = [{ code: 131026, title: 'Message undeliverable' }];
    const told = { id: sent?.id ?? '', reference: sent?.reference ?? '', status: 'failed', errors };
    await meta.status(phone, told);
    await meta.status(phone, told);
    const run = await api.runWhen(id, 'ended', ({ status }) => status !== 'IN_PROGRESS');
    assert.deepEqual(
      [run.status, run.reason, run['comment']],
      ['REMOVED_BY_SYSTEM', 'unreachable_contact', 'unreachable: 131026'],
    );
  });

  it('keeps messages back, unsent and unforgotten, while the provider refuses our token, and tries no other meanwhile (401)', async () => {
    const [phone, other] = ['12025550108', '12025550114'];
    graph.failNext({ kind: 'refuse', status: 401, code: 190 });
    await meta.says(phone, `Hi [${phone}]`);
    const id = await conversationOf(phone);
    const parked = async (conversation: string) =>
      api.runWhen(conversation, 'waiting', ({ pendingEffects: [effect] }) => effect?.state === 'parked');
    const run = await parked(id);
    assert.match(run.pendingEffects[0]?.reason ?? '', /unauthorized: 190/);
    assert.deepEqual([run.status, run.failures, sentTo(phone).length], ['IN_PROGRESS', 0, 0]);

    const attempts = graph.attempts;
    await meta.says(other, `Hi [${other}]`);
    assert.equal((await parked(await conversationOf(other))).pendingEffects[0]?.reason, 'channel_shut');
    assert.equal(graph.attempts, attempts);
    const { body } = await api.get<{ items: readonly { shut: { code: string } | null }[] }>('/channels');
    assert.deepEqual(
      body.items.map(({ shut }) => shut?.code),
      ['190'],
    );
  });

  it('has sent nothing twice at the end', async () => {
    for (const phone of inDoubt) assert.equal(sentTo(phone).length, 1);
    const references = graph.received.map(({ reference }) => reference);
    assert.equal(new Set(references).size, references.length);
  });
});

interface EffectEntry {
  readonly entry: string;
  readonly state: string;
  readonly reason: string | null;
  readonly status: string | null;
  readonly text: string | null;
}

async function effectsOf(api: TenantApi, conversation: string): Promise<readonly EffectEntry[]> {
  const path = `/runs/conversation/${conversation}/answering/timeline`;
  const { body } = await api.get<{ items: readonly EffectEntry[] }>(path);
  return body.items.filter(({ entry }) => entry === 'effect');
}

async function sendingText(api: TenantApi, conversation: string): Promise<string | undefined> {
  return (await effectsOf(api, conversation)).find(({ state }) => state === 'sending')?.text ?? undefined;
}

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { OutgoingMessage } from '../../../src/channels/channel.ts';
import { ChannelError, type ChannelFailure } from '../../../src/channels/channel-error.ts';
import { startWhatsAppSimulator } from '../../../src/channels/simulated/graph-server.ts';
import type { SendTrouble, WhatsAppSimulator } from '../../../src/channels/simulated/whatsapp-simulator.ts';
import { WhatsAppConfig } from '../../../src/channels/whatsapp/config.ts';
import { TemplateMessage } from '../../../src/domain/schemas/templates.ts';
import { createWhatsAppChannel } from '../../../src/channels/whatsapp/whatsapp-channel.ts';
import { TENANT } from './samples.ts';

const TOKEN = 'token-of-acme';

function outgoing(part: Partial<OutgoingMessage> & { address?: string } = {}): OutgoingMessage {
  return {
    to: { tenant: TENANT, conversation: '1', address: part.address ?? '5531980000001' },
    reference: 'ref-1',
    content: { kind: 'text', text: 'Good morning' },
    signal: new AbortController().signal,
    ...part,
  };
}

function channelAt(apiUrl: string, { accessToken = TOKEN, answerTimeoutMs = 5_000 } = {}) {
  const config = WhatsAppConfig.parse({
    kind: 'whatsapp',
    phoneNumberId: '100',
    accessToken,
    appSecret: 's',
    verifyToken: 'v',
    apiUrl,
  });
  return createWhatsAppChannel(config, { answerTimeoutMs });
}

async function failureOf(sending: Promise<unknown>): Promise<ChannelError> {
  const error = await sending.then(
    () => assert.fail('it was sent'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof ChannelError, String(error));
  return error;
}

describe('a message sent by WhatsApp', () => {
  let simulator: WhatsAppSimulator;
  beforeEach(async () => {
    simulator = await startWhatsAppSimulator({
      phoneNumberId: '100',
      appSecret: 's',
      accessToken: TOKEN,
      webhookUrl: 'http://127.0.0.1:9/',
      statuses: [],
    });
  });
  afterEach(() => simulator.close());

  it('goes out once, with a plus before the number and our reference, and gives the id back', async () => {
    const receipt = await channelAt(simulator.url).send(outgoing());
    assert.deepEqual(
      simulator.received.map((sent) => sent.id),
      [receipt.providerId],
    );
    assert.deepEqual(simulator.received[0]?.body, {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+5531980000001',
      biz_opaque_callback_data: 'ref-1',
      type: 'text',
      text: { body: 'Good morning', preview_url: false },
    });
  });

  it('gives back the other names that Meta has for the person, and none where it names nobody', async () => {
    const answers = [
      [{ input: '+5531980000001', wa_id: '553180000001', user_id: 'BR.1' }],
      [{ input: '+5531980000001', wa_id: '5531980000001' }],
      'nobody',
    ];
    const server = createServer((_, response) =>
      response.end(JSON.stringify({ contacts: answers.shift(), messages: [{ id: 'wamid.1' }] })),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const channel = channelAt(`http://127.0.0.1:${port}`);
    const names = [];
    for (let n = 0; n < 3; n += 1) names.push((await channel.send(outgoing())).names);
    server.closeAllConnections();
    server.close();
    assert.deepEqual(names, [['553180000001', 'BR.1'], ['553180000001'], []]);
  });

  it('goes to a user id by that name, unchanged', async () => {
    await channelAt(simulator.url).send(outgoing({ address: 'BR.13491208655302741918' }));
    assert.equal(simulator.received[0]?.body['recipient'], 'BR.13491208655302741918');
    assert.equal(simulator.received[0].body['to'], undefined);
  });

  it('can be a template with its parameters', async () => {
    const template = { name: 'still_there', language: 'pt_BR', parameters: ['Ana', 'two rooms'] };
    await channelAt(simulator.url).send(outgoing({ content: { kind: 'template', template } }));
    const parameters = [
      { type: 'text', text: 'Ana' },
      { type: 'text', text: 'two rooms' },
    ];
    assert.deepEqual(simulator.received[0]?.body['template'], {
      name: 'still_there',
      language: { code: 'pt_BR' },
      components: [{ type: 'body', parameters }],
    });
  });

  it('can be a template with a header, named parameters and buttons', async () => {
    const template = TemplateMessage.parse({
      ...{ name: 'visit', language: 'pt_BR', named: { first_name: 'Ana' } },
      header: { kind: 'document', link: 'https://example.com/plan.pdf', fileName: 'plan.pdf' },
      buttons: [
        { kind: 'reply', index: 0, payload: 'confirm:42' },
        { kind: 'url', index: 1, suffix: 'visits/42' },
        { kind: 'copyCode', index: 2, code: 'VISIT42' },
      ],
    });
    await channelAt(simulator.url).send(outgoing({ content: { kind: 'template', template } }));
    const button = (sub_type: string, index: string, parameter: object) => ({
      ...{ type: 'button', sub_type, index },
      parameters: [parameter],
    });
    assert.deepEqual(simulator.received[0]?.body['template'], {
      name: 'visit',
      language: { code: 'pt_BR' },
      components: [
        {
          type: 'header',
          parameters: [{ type: 'document', document: { link: 'https://example.com/plan.pdf', filename: 'plan.pdf' } }],
        },
        { type: 'body', parameters: [{ type: 'text', parameter_name: 'first_name', text: 'Ana' }] },
        button('quick_reply', '0', { type: 'payload', payload: 'confirm:42' }),
        button('url', '1', { type: 'text', text: 'visits/42' }),
        button('copy_code', '2', { type: 'coupon_code', coupon_code: 'VISIT42' }),
      ],
    });
  });

  it('is a hand-off of the thread where several share the number, and of the desk alone where not', async () => {
    const shared = { kind: 'whatsapp', phoneNumberId: '100', accessToken: TOKEN, appSecret: 's', verifyToken: 'v' };
    const routed = createWhatsAppChannel(
      WhatsAppConfig.parse({ ...shared, apiUrl: simulator.url, conversationRouting: true }),
    );
    const { to, signal } = outgoing();
    await routed.handOff?.(to, { note: 'wants two rooms' }, signal);
    await routed.close?.(to, signal);
    const thread = { messaging_product: 'whatsapp', to: '+5531980000001' };
    assert.deepEqual(simulator.threads, [
      { ...thread, action: 'pass', metadata: 'wants two rooms' },
      { ...thread, action: 'release' },
    ]);
    const alone = channelAt(simulator.url);
    assert.deepEqual([typeof alone.handOff, typeof alone.close], ['undefined', 'undefined']);
    assert.equal(simulator.received.length, 0);
  });

  it('cannot be looked up afterwards: only a status tells', async () => {
    const query = {
      to: outgoing().to,
      reference: 'ref-1',
      text: null,
      since: '2026-01-01T00:00:00Z',
      signal: new AbortController().signal,
    };
    assert.deepEqual(await channelAt(simulator.url).findSent(query), { found: 'cannot_know' });
  });

  const refusals: readonly (readonly [code: number, status: number, failure: ChannelFailure])[] = [
    [131047, 400, 'window_closed'],
    [130429, 429, 'rate_limited'],
    [131056, 400, 'rate_limited'],
    [80007, 400, 'rate_limited'],
    [4, 400, 'rate_limited'],
    [131026, 400, 'unreachable'],
    [131049, 400, 'permanent'],
    [131050, 400, 'marketing_stopped'],
    [131000, 500, 'unknown_fate'],
    [131016, 500, 'outage'],
    [133004, 503, 'outage'],
    [190, 401, 'unauthorized'],
    [10, 403, 'unauthorized'],
    [200, 403, 'unauthorized'],
    [131042, 400, 'unauthorized'],
    [133010, 400, 'unauthorized'],
    [100, 400, 'permanent'],
    [132001, 404, 'permanent'],
    [131062, 400, 'permanent'],
  ];
  for (const [code, status, failure] of refusals)
    it(`refused with ${code} (HTTP ${status}) is ${failure}`, async () => {
      simulator.failNext({ kind: 'refuse', status, code });
      const error = await failureOf(channelAt(simulator.url).send(outgoing()));
      assert.equal(error.failure, failure);
      assert.equal(error.code, String(code));
    });

  it('names the template that is refused, beside the code', async () => {
    simulator.failNext({ kind: 'refuse', status: 404, code: 132001 });
    const template = { name: 'see_you_soon', language: 'pt_BR', parameters: [] };
    const error = await failureOf(channelAt(simulator.url).send(outgoing({ content: { kind: 'template', template } })));
    assert.deepEqual([error.failure, error.code], ['permanent', '132001 (template see_you_soon)']);
  });

  const bare: readonly (readonly [status: number, failure: ChannelFailure])[] = [
    [500, 'unknown_fate'],
    [502, 'unknown_fate'],
    [504, 'unknown_fate'],
    [408, 'unknown_fate'],
    [429, 'rate_limited'],
    [401, 'unauthorized'],
    [404, 'permanent'],
    [302, 'permanent'],
  ];
  for (const [status, failure] of bare)
    it(`answered with a bare HTTP ${status} is ${failure}`, async () => {
      simulator.failNext({ kind: 'refuse', status });
      assert.equal((await failureOf(channelAt(simulator.url).send(outgoing()))).failure, failure);
    });

  it('waits as long as Retry-After says, in seconds or as a date, but never longer than a day', async () => {
    const wait = async (retryAfter: string) => {
      simulator.failNext({ kind: 'refuse', status: 429, code: 130429, retryAfter });
      return (await failureOf(channelAt(simulator.url).send(outgoing()))).retryAfterMs;
    };
    assert.equal(await wait('7'), 7_000);
    assert.equal(await wait('Wed, 21 Oct 2015 07:28:00 GMT'), 0);
    assert.equal(await wait('99999999'), 86_400_000);
    assert.equal(await wait('soon'), 1_000);
  });

  const lost: Readonly<Record<string, SendTrouble>> = {
    'taken, and the connection cut before the answer': { kind: 'cut', accepted: true },
    'cut before anybody can tell whether it was taken': { kind: 'cut', accepted: false },
    'never answered': { kind: 'hang' },
    'answered with something unreadable': { kind: 'garbage' },
  };
  for (const [what, trouble] of Object.entries(lost))
    it(`${what} has an unknown fate, and is not sent again by the channel`, async () => {
      simulator.failNext(trouble);
      const patience = trouble.kind === 'hang' ? { answerTimeoutMs: 150 } : {};
      const error = await failureOf(channelAt(simulator.url, patience).send(outgoing()));
      assert.equal(error.failure, 'unknown_fate');
      // None arrived where the patience was over first.
      assert.ok(simulator.attempts <= 1);
    });

  it('whose attempt is cancelled under way has an unknown fate; before it began, nothing went out', async () => {
    const attempt = new AbortController();
    simulator.failNext({ kind: 'hang' });
    const sending = failureOf(channelAt(simulator.url).send(outgoing({ signal: attempt.signal })));
    await simulator.waitForSent(1);
    attempt.abort();
    assert.equal((await sending).failure, 'unknown_fate');
    assert.equal(
      (await failureOf(channelAt(simulator.url).send(outgoing({ signal: attempt.signal })))).failure,
      'outage',
    );
    assert.equal(simulator.attempts, 1);
  });

  it('to a server that is not there, or whose name nobody knows, never left', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => free.once('listening', resolve));
    const { port } = free.address() as { port: number };
    await new Promise((resolve) => free.close(resolve));
    assert.equal((await failureOf(channelAt(`http://127.0.0.1:${port}`).send(outgoing()))).failure, 'outage');
    // Too long for a name: no name server is asked, which might take its time.
    const nobodys = `http://${'x'.repeat(64)}.invalid`;
    assert.equal((await failureOf(channelAt(nobodys).send(outgoing()))).failure, 'outage');
  });

  it('does not follow a redirect with its token and its text', async () => {
    const location = `${simulator.url}/100/messages`;
    const elsewhere = createServer((_, response) => response.writeHead(307, { location, connection: 'close' }).end());
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const { port } = elsewhere.address() as { port: number };
    const sending = channelAt(`http://127.0.0.1:${port}`).send(outgoing());
    await sending.catch(() => undefined).finally(() => elsewhere.close());
    assert.equal((await failureOf(sending)).failure, 'permanent');
    assert.equal(simulator.attempts, 0);
  });

  it('with a wrong token shuts the channel', async () => {
    const error = await failureOf(channelAt(simulator.url, { accessToken: 'stale-token' }).send(outgoing()));
    assert.deepEqual([error.failure, error.code], ['unauthorized', '190']);
    assert.doesNotMatch(error.message, /stale-token|5531980000001/);
  });
});

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { Channel } from '../../src/channels/channel.ts';
import { ChannelError } from '../../src/channels/channel-error.ts';
import { createChatwootChannel } from '../../src/channels/chatwoot/chatwoot-channel.ts';
import { ChatwootConfig } from '../../src/channels/chatwoot/config.ts';
import type { MediaRequest } from '../../src/channels/channel.ts';
import { checked, readMedia } from '../../src/channels/media.ts';
import { startChatwootSimulator } from '../../src/channels/simulated/chatwoot-server.ts';
import { startWhatsAppSimulator } from '../../src/channels/simulated/graph-server.ts';
import type { SimulatedFile } from '../../src/channels/simulated/graph-media.ts';
import type { WhatsAppSimulator } from '../../src/channels/simulated/whatsapp-simulator.ts';
import { WhatsAppConfig } from '../../src/channels/whatsapp/config.ts';
import { createWhatsAppChannel } from '../../src/channels/whatsapp/whatsapp-channel.ts';
import { TENANT } from './whatsapp/samples.ts';

const VOICE: SimulatedFile = { bytes: Buffer.from('OggS and so on'), mimeType: 'audio/ogg', voice: true };
const LONG_AGO = '2026-01-01T00:00:00.000Z';

async function failureOf(work: Promise<unknown>): Promise<[string, string]> {
  const error = await work.then(
    () => assert.fail('it succeeded'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof ChannelError, String(error));
  return [error.failure, error.code];
}

function request(of: Partial<MediaRequest> & Pick<MediaRequest, 'mediaId'>): MediaRequest {
  return {
    to: { tenant: TENANT, conversation: '42', address: '5531980000001' },
    ...{ messageId: '1', sha256: null, sentAt: new Date().toISOString(), signal: new AbortController().signal },
    ...of,
  };
}

async function read(channel: Channel, of: MediaRequest): Promise<string> {
  const open = await channel.openMedia?.(of);
  assert.ok(open);
  return Buffer.from(await readMedia(open, 1_000)).toString();
}

describe('a file that somebody sent by WhatsApp', () => {
  let graph: WhatsAppSimulator;
  before(async () => {
    graph = await startWhatsAppSimulator({
      ...{ phoneNumberId: '100', appSecret: 's', accessToken: 'token', webhookUrl: 'http://127.0.0.1:9/' },
    });
  });
  after(() => graph.close());

  const numberAt = (accessToken = 'token') =>
    createWhatsAppChannel(
      WhatsAppConfig.parse({
        ...{ kind: 'whatsapp', phoneNumberId: '100', accessToken, appSecret: 's', verifyToken: 'v', apiUrl: graph.url },
      }),
    );
  /** What the webhook would tell of it. */
  const announced = (file: SimulatedFile): Pick<MediaRequest, 'mediaId' | 'sha256'> => {
    const message = graph.files.add(file);
    const { id, sha256 } = message[message.type] as { id: string; sha256: string };
    return { mediaId: id, sha256 };
  };

  it('is got with the token, by an address that is asked for at each reading', async () => {
    const file = announced(VOICE);
    assert.equal(await read(numberAt(), request(file)), 'OggS and so on');
    graph.setClock(Date.now() + 6 * 60_000);
    assert.equal(await read(numberAt(), request(file)), 'OggS and so on', 'the first address has expired');
    graph.setClock(undefined);
    assert.deepEqual(await failureOf(read(numberAt('another'), request(file))), ['unauthorized', '190']);
  });

  it('is waited for while it is young and not there yet, and given up once it is old', async () => {
    assert.equal(await read(numberAt(), request(announced({ ...VOICE, notReadyFor: 1 }))), 'OggS and so on');
    const old = { ...announced({ ...VOICE, notReadyFor: 1 }), sentAt: LONG_AGO };
    assert.deepEqual(await failureOf(read(numberAt(), request(old))), ['permanent', 'media_gone']);
  });

  it('is refused when other bytes come than the message announced', async () => {
    const file = announced({ ...VOICE, altered: Buffer.from('something else') });
    assert.deepEqual(await failureOf(read(numberAt(), request(file))), ['permanent', 'media_altered']);
  });

  it('is refused when it is larger than whoever reads it wants', async () => {
    const file = announced({ bytes: Buffer.alloc(1_001), mimeType: 'image/png' });
    assert.deepEqual(await failureOf(read(numberAt(), request(file))), ['permanent', 'media_too_large']);
  });

  it('is never looked for under what is no id of Meta’s', async () => {
    const { attempts } = graph;
    for (const mediaId of ['../100/messages', 'http://169.254.169.254/', '1?x=', ''])
      assert.deepEqual(await failureOf(read(numberAt(), request({ mediaId }))), ['permanent', 'media_gone'], mediaId);
    assert.equal(graph.attempts, attempts);
  });

  it('never costs us the token: an address that is neither HTTPS nor the API’s own is not called', async () => {
    let called = 0;
    const foreign = createServer((_, response) => {
      called += 1;
      response.end();
    });
    const api = createServer((_, response) => {
      const { port } = foreign.address() as { port: number };
      response.end(JSON.stringify({ url: `http://127.0.0.1:${port}/take-the-token`, mime_type: 'image/png' }));
    });
    for (const server of [foreign, api]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const apiUrl = `http://127.0.0.1:${(api.address() as { port: number }).port}`;
    const number = createWhatsAppChannel(
      WhatsAppConfig.parse({
        ...{ kind: 'whatsapp', phoneNumberId: '100', accessToken: 't', appSecret: 's', verifyToken: 'v', apiUrl },
      }),
    );
    assert.deepEqual(await failureOf(read(number, request({ mediaId: '5' }))), ['permanent', 'unreadable_answer']);
    assert.equal(called, 0);
    for (const server of [foreign, api]) server.close();
  });
});

describe('a file that came by Chatwoot', () => {
  it('is found by its message, even where the webhook came before its address, and nowhere else', async () => {
    const simulator = await startChatwootSimulator({
      ...{ accountId: 1, apiToken: 'token', webhookSecret: 'secret', webhookUrl: 'http://127.0.0.1:9/' },
    });
    const base = { kind: 'chatwoot', accountId: 1, apiToken: 'token', webhookSecret: 'secret' };
    const channel = createChatwootChannel(ChatwootConfig.parse({ ...base, url: simulator.url }));
    const file = { bytes: VOICE.bytes, mimeType: 'audio/ogg', type: 'audio', notReadyFor: 2 };
    const { id } = await simulator.customerSays(42, '', file);
    const wanted = request({ messageId: String(id), mediaId: `attachment:${1_000 + id}` });
    assert.equal(await read(channel, wanted), 'OggS and so on');
    const old = { ...wanted, sentAt: LONG_AGO };
    for (const mediaId of ['attachment:5', 'http://169.254.169.254/latest'])
      assert.deepEqual(await failureOf(read(channel, { ...old, mediaId })), ['permanent', 'media_gone'], mediaId);
    await simulator.close();
  });
});

describe('a file of Chatwoot’s that is kept elsewhere', () => {
  it('is fetched from the installation’s own host or a public address, and from nowhere inside our network', async () => {
    let asked = 0;
    let leadTo = '';
    const storage = createServer((_, response) => {
      asked += 1;
      response.end('the bytes');
    });
    const chatwoot = createServer(({ url = '', headers }, response) => {
      const data_url = `http://${headers.host}/rails/1`;
      const created_at = Math.floor(Date.now() / 1_000);
      const attachments = [{ id: 5, file_type: 'image', data_url }];
      if (url.startsWith('/rails')) response.writeHead(302, { location: leadTo }).end();
      else
        response.end(JSON.stringify({ payload: [{ id: 1, content: '', message_type: 0, created_at, attachments }] }));
    });
    for (const [server, host] of [
      [storage, '0.0.0.0'],
      [chatwoot, '127.0.0.1'],
    ] as const)
      await new Promise<void>((resolve) => server.listen(0, host, resolve));
    const [port, own] = [storage, chatwoot].map((server) => (server.address() as { port: number }).port);
    const base = { kind: 'chatwoot', accountId: 1, apiToken: 'token', webhookSecret: 'secret' };
    const channel = createChatwootChannel(ChatwootConfig.parse({ ...base, url: `http://127.0.0.1:${own}` }));
    const wanted = request({ mediaId: 'attachment:5' });
    const hosts = ['localhost', '127.0.0.2', '[::1]', '[::ffff:127.0.0.2]', '0.0.0.0', '10.0.0.1', '192.168.1.1'];
    for (const host of [...hosts, '169.254.169.254', '[fe80::1]', '2130706434']) {
      leadTo = `http://${host}:${port}/`;
      assert.deepEqual(await failureOf(read(channel, wanted)), ['permanent', 'media_elsewhere'], host);
    }
    assert.equal(asked, 0);
    leadTo = `http://127.0.0.1:${port}/`;
    assert.equal(await read(channel, wanted), 'the bytes');
    for (const server of [storage, chatwoot]) server.close();
  });
});

describe('the bytes of a file on their way', () => {
  it('are checked against a hash in hex or base64, and against a limit', async () => {
    const stream = (text: string) => new Blob([text]).stream();
    const hex = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    const base64 = Buffer.from(hex, 'hex').toString('base64');
    const all = async (text: string, how: { limit: number; sha256: string | null }) =>
      new Response(checked(stream(text), how)).text();
    for (const sha256 of [hex, base64, null, 'no hash at all'])
      assert.equal(await all('abc', { limit: 3, sha256 }), 'abc');
    assert.deepEqual(await failureOf(all('abd', { limit: 3, sha256: hex })), ['permanent', 'media_altered']);
    assert.deepEqual(await failureOf(all('abcd', { limit: 3, sha256: null })), ['permanent', 'media_too_large']);
  });
});

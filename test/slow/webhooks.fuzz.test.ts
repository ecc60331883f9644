/** Whatever a vendor signs: no 500, and nothing that a run could choke on. Real server, real Temporal, every webhook. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { connectClient, embeddedTarget } from '../../src/temporal/connection.ts';
import { change, KINDS, message, NUMBER, post, SECRET } from '../channels/whatsapp/samples.ts';
import { ASKED_ANEW } from '../support/asked-anew.ts';
import { newPlace, startDev, type Dev } from '../support/attache.ts';
import { bodies, CHATWOOT, GENERIC } from '../support/strange-bodies.ts';
import { tenantApi } from '../support/tenant-api.ts';
import { until } from '../support/until.ts';

/** Of each webhook, beside what is not changed at all. */
const MUTATED = 60;
const WHATSAPP = [
  ...Object.values(KINDS).map((body) => change(message(body))),
  change(
    { message_echoes: [{ from: '1', to: '12025550123', id: 'e', timestamp: '1790000009', type: 'text', text: {} }] },
    'smb_message_echoes',
  ),
  change({ statuses: [{ id: 's', status: 'sent', timestamp: '1790000009', recipient_id: '12025550123' }] }),
].map((one) => JSON.parse(post(one).toString()) as unknown);
/** An agent bot hears the same, and of the conversation's bot as its assignee. */
const BOT = CHATWOOT.map((body) => ({
  ...body,
  agent_bot: { id: 5, name: 'Attaché', type: 'agent_bot' },
  assignee_type: 'AgentBot',
}));

interface Hook {
  readonly channel: 'whatsapp' | 'chatwoot' | 'generic';
  readonly samples: readonly unknown[];
  readonly sign: (body: Buffer) => Record<string, string>;
}

const hmac = (what: string | Buffer) => `sha256=${createHmac('sha256', SECRET).update(what).digest('hex')}`;
const GENERIC_SECRET = `whsec_${'A'.repeat(40)}`;
const chatwoot = (body: Buffer) => ({
  'x-chatwoot-timestamp': '1790000000',
  'x-chatwoot-signature': hmac(Buffer.concat([Buffer.from('1790000000.'), body])),
});
const HOOKS: Readonly<Record<string, Hook>> = {
  'WhatsApp’s': { channel: 'whatsapp', samples: WHATSAPP, sign: (body) => ({ 'x-hub-signature-256': hmac(body) }) },
  'Chatwoot’s of an account': { channel: 'chatwoot', samples: CHATWOOT, sign: chatwoot },
  'Chatwoot’s of an agent bot': { channel: 'chatwoot', samples: BOT, sign: chatwoot },
  'the generic one': {
    channel: 'generic',
    samples: [...GENERIC, GENERIC],
    sign: (body) => {
      const at = new Date();
      const signature = new Webhook(GENERIC_SECRET).sign('msg', at, body.toString('utf8'));
      const seconds = String(Math.floor(at.getTime() / 1_000));
      return { 'webhook-id': 'msg', 'webhook-timestamp': seconds, 'webhook-signature': signature };
    },
  },
};

describe('webhooks with a valid signature over bodies in which something was changed', () => {
  const place = newPlace();
  let dev: Dev;
  const api = tenantApi(() => dev.url, 'acme');

  before(async () => {
    const nowhere = 'http://127.0.0.1:9';
    const keys = { accessToken: 'token', appSecret: SECRET, verifyToken: 'verify', apiUrl: nowhere };
    place.configure({
      tenants: {
        acme: {
          channels: [
            { kind: 'whatsapp', phoneNumberId: NUMBER, ...keys },
            { kind: 'chatwoot', url: nowhere, accountId: 1, apiToken: 'token', webhookSecret: SECRET },
            { kind: 'generic', webhookSecret: GENERIC_SECRET },
          ],
          autoAttach: [{ on: 'message.inbound', agent: 'parrot', config: { isMute: true } }],
        },
      },
    });
    dev = await startDev({ place, withAgents: true });
  });
  after(() => place.leave());

  for (const [name, { channel, samples, sign }] of Object.entries(HOOKS))
    it(`${name} are taken or kept as dead letters, and never answered by a 500`, async () => {
      const changed = fc.sample(bodies(samples), MUTATED);
      for (const body of [...samples.map((sample) => Buffer.from(JSON.stringify(sample))), ...changed]) {
        const headers = { 'content-type': 'application/json', ...sign(body) };
        const response = await fetch(api.webhook(channel), { method: 'POST', headers, body: new Uint8Array(body) });
        const said = await response.text();
        assert.equal(response.status, 200, `${said}\n${body.toString('utf8').slice(0, 2_000)}`);
      }
    });

  it('leave no event on its way, no workflow task failed, and runs that heard them', async () => {
    const { body } = await until('all to be delivered', async () => {
      const stored = await api.get<{ items: unknown[] }>('/events?status=stored');
      return (
        stored.body.items.length === 0 &&
        api.get<{ items: { workflowId: string; status: string }[] }>('/runs?limit=200')
      );
    });
    assert.ok(body.items.length >= 2, 'at least those that nothing was changed in attach');
    const client = await connectClient(embeddedTarget(dev.temporal.address));
    try {
      for (const { workflowId, status } of body.items) {
        assert.notEqual(status, 'REMOVED_BY_SYSTEM', workflowId);
        const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
        const causes = (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
          failed == null ? [] : [String(failed.cause)],
        );
        assert.deepEqual(
          causes.filter((cause) => !ASKED_ANEW.test(cause)),
          [],
          workflowId,
        );
      }
    } finally {
      await client.connection.close();
    }
    assert.doesNotMatch(dev.output(), /"level":50/, 'nothing was logged as an error');
  });
});

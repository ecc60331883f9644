/** A tenant with a CRM of its own, and both ends of it: what the CRM posts and is asked to write, and what it is told by webhook. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { startCrmServer } from '../../src/channels/simulated/crm-server.ts';
import { opened, SECRET, startReceiver } from './receiver.ts';
import type { Json } from './tenant-api.ts';

const POSTED_WITH = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const ASKED_WITH = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

export interface CrmBusiness {
  /** Its channel and its endpoint, as the configuration has them. */
  readonly settings: object;
  /** Signed and posted to this address, as the CRM would; `data.time` is the event's. */
  tells(url: string, conversation: string, type: string, data: Json & { time?: string }): Promise<void>;
  /** What customers read. */
  written(conversation: string): readonly (string | null)[];
  /** Types of what the endpoint was told of the conversation; each signature is checked. */
  toldOf(conversation: string): readonly string[];
  close(): Promise<void>;
}

export async function openCrmBusiness(conversations: readonly string[]): Promise<CrmBusiness> {
  const crm = await startCrmServer({ secret: ASKED_WITH, conversations });
  const hooks = await startReceiver();
  return {
    settings: {
      channels: [{ kind: 'generic', webhookSecret: POSTED_WITH, url: crm.url, signingSecret: ASKED_WITH }],
      webhooks: [{ id: 'crm', url: hooks.url, secret: SECRET, allowPrivateNetwork: true }],
    },
    async tells(url, conversation, type, { time = new Date().toISOString(), ...data }) {
      const [id, at] = [randomUUID(), new Date()];
      const body = JSON.stringify({ id, source: 'crm', type, time, subject: `conversation/${conversation}`, data });
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(POSTED_WITH).sign(id, at, body),
      };
      assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 200);
    },
    written: (conversation) =>
      (crm.entries.get(conversation) ?? []).filter((entry) => !entry.private).map((entry) => entry.text),
    toldOf: (conversation) =>
      hooks.received
        .map((one) => opened(one))
        .filter(({ subject }) => subject === `conversation/${conversation}`)
        .map(({ type }) => String(type)),
    async close() {
      await Promise.all([crm.close(), hooks.close()]);
    },
  };
}

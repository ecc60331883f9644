/** A CRM's own server for a person to play with: it keeps the contract of docs/crm-channel.openapi.json. */
import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { generator } from './noise.ts';
import { startCrmServer, type RunningCrm } from './crm-server.ts';
import type { SimulateOptions, Stage, StageCommand } from './stage.ts';

/** Public, and for this only. */
const SIGNING_SECRET = `whsec_${Buffer.alloc(32, 's').toString('base64')}`;
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 'w').toString('base64')}`;

export async function crmStage(options: SimulateOptions, show: (line: string) => void): Promise<Stage> {
  const { url, tenant, port, noise, from: conversation = '1' } = options;
  const draw = generator(noise?.seed ?? 0);
  const crm = await startCrmServer({
    ...{ secret: SIGNING_SECRET, conversations: [conversation], port },
    onEntry: (of, entry) => show(`→ ${of}  ${entry.private ? '(note) ' : ''}${entry.text ?? '(template)'}`),
  });
  const eventOf = (type: string, data: object, id: string = randomUUID()) => {
    const time = new Date(options.clock ?? Date.now()).toISOString();
    return { id, source: 'crm', type, time, subject: `conversation/${conversation}`, data };
  };
  const post = async (told: object) => {
    const copies = draw() < (noise?.duplicated ?? 0) ? 2 : 1;
    await Promise.all(Array.from({ length: copies }, () => postSigned(`${url}/webhooks/generic/${tenant}`, told)));
  };
  const tell = async (type: string, data: object) => post(eventOf(type, data));
  const message = (text: string) => ({ content: { kind: 'text', text } });
  /** Of the event that opens the conversation; undefined: it is open. Started anew, the simulator opens the same one again. */
  let opening: string | undefined = `opened-${conversation}`;
  return {
    channel: { kind: 'generic', webhookSecret: WEBHOOK_SECRET, url: crm.url, signingSecret: SIGNING_SECRET },
    where: `in conversation ${conversation}`,
    say: async (text) => {
      const said = eventOf('message.inbound', message(text));
      await post(opening === undefined ? said : [eventOf('conversation.opened', {}, opening), said]);
      opening = undefined;
    },
    commands: {
      human: {
        takes: '<text>',
        does: 'a person answers in the CRM: a takeover',
        run: async (text) => tell('message.outbound', { ...message(text), author: 'human' }),
      },
      handback: {
        does: 'the person gives the conversation back to the agent',
        run: async () => tell('conversation.assigned', { to: 'agent' }),
      },
      close: {
        does: 'the conversation is closed; what the customer says next opens it',
        async run() {
          await tell('conversation.closed', {});
          opening = randomUUID();
        },
      },
      event: {
        takes: '<type> [json]',
        does: 'any other event, such as custom.visit-ended {"visit":"42"}',
        async run(argument) {
          const [, type = '', data = ''] = /^(\S+)\s*(.*)$/.exec(argument) ?? [];
          await tell(type, JSON.parse(data === '' ? '{}' : data) as object);
        },
      },
      ...troubles(crm),
    },
    close: () => crm.close(),
  };
}

function troubles(crm: RunningCrm): Readonly<Record<string, StageCommand>> {
  return {
    lose: { does: 'the next request is served, and its answer lost', run: () => crm.loseNextAnswer() },
    refuse: {
      takes: '<status>',
      does: 'the next request is refused with this HTTP status',
      run(argument) {
        if (!/^[45]\d\d$/.test(argument)) throw new Error('/refuse takes an HTTP status, such as 500');
        crm.refuseNext({ status: Number(argument), body: { code: 'simulated', detail: 'as asked for' } });
      },
    },
  };
}

/** @throws {Error} saying what Attaché answered. */
async function postSigned(url: string, told: object): Promise<void> {
  const body = JSON.stringify(told);
  const [id, at] = [randomUUID(), new Date()];
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(WEBHOOK_SECRET).sign(id, at, body),
  };
  const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
  const said = await response?.text();
  if (response?.ok !== true)
    throw new Error(`${url} answered ${response?.status ?? 'nothing'}: ${said?.slice(0, 300) ?? ''}`);
}

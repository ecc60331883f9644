import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { ChannelConfig } from '../../src/channels/config.ts';
import { createWebhooks } from '../../src/channels/webhooks.ts';
import type { TenantId } from '../../src/domain/ids.ts';
import { createIntake } from '../../src/intake/intake.ts';
import { testApi, type TestApi } from '../support/api.ts';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';
import { intakeDeps } from '../support/given.ts';
import { Meta } from '../support/meta.ts';

const DEMO = 'demo' as TenantId;
const KNOWN = '100';
/** Ten minutes of a year ago: told late, all of it. */
const THEN = Date.UTC(2025, 10, 30, 12);

const number = (phoneNumberId: string, appSecret = 'secret') => ({
  ...{ kind: 'whatsapp', phoneNumberId, appSecret },
  ...{ accessToken: 't', verifyToken: 'word' },
});
const account = (accountId: number) => ({
  ...{ kind: 'chatwoot', url: 'http://127.0.0.1:9', accountId },
  ...{ apiToken: 't', webhookSecret: 'shared' },
});

for (const database of DATABASES)
  describe(`a dead letter that could not be read, over ${database}`, () => {
    let opened: TestDesk;
    /** Numbers and people that no other test speaks of. */
    let count = 0;

    before(async () => {
      opened = await openTestDesk(database);
    });
    after(async () => {
      await opened.close();
    });

    /** The API of a server whose configuration names these channels for the tenant. */
    function serverWith(...channels: object[]): TestApi {
      const configs = channels.map((channel) => ChannelConfig.parse(channel));
      const { desk } = opened;
      return testApi({
        desk,
        intake: createIntake(intakeDeps(desk)),
        webhooks: createWebhooks({ demo: { channels: configs } }),
      });
    }

    function customerOf(phoneNumberId: string) {
      count += 1;
      const person = String(5_511_900_000_000 + count);
      const meta = new Meta({ url: '', number: phoneNumberId, secret: 'secret' });
      const body = (texts: readonly string[]) => {
        const [first, ...others] = texts.map((text, at) =>
          meta.messageBody(person, { id: `wamid.${phoneNumberId}.${text}`, text, at: THEN + at * 60_000 }),
        );
        const post = JSON.parse(first ?? '') as Post;
        for (const other of others) messagesIn(post).push(...messagesIn(JSON.parse(other) as Post));
        return JSON.stringify(post);
      };
      const heard = async () => {
        const { items } = await opened.desk.events.list({ tenant: DEMO, limit: 200 });
        return items
          .filter(({ source, type }) => source === `whatsapp:${phoneNumberId}` && type === 'message.inbound')
          .reverse()
          .map(({ id, time }) => [id.split('.').at(-1), (Date.parse(time) - THEN) / 60_000]);
      };
      return { body, heard };
    }

    async function posted(api: TestApi, body: string, secret = 'secret'): Promise<number> {
      const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
      return (await api.ask('/webhooks/whatsapp/demo', { method: 'POST', body, headers })).status;
    }

    async function letters(): Promise<string[]> {
      const { items } = await opened.desk.events.list({ tenant: DEMO, status: 'dead', limit: 200 });
      return items.map(({ key }) => key);
    }

    /** Its key, of the one that this leaves behind. */
    async function letterOf(leave: () => Promise<unknown>): Promise<string> {
      const before = await letters();
      await leave();
      const [letter, ...others] = (await letters()).filter((key) => !before.includes(key));
      assert.ok(letter !== undefined && others.length === 0);
      return letter;
    }

    const redelivered = async (api: TestApi, key: string) => {
      const { status, body } = await api.send('POST', `/events/${key}/redeliver`);
      return { status, body, results: (body['events'] as { result: string }[] | undefined)?.map((one) => one.result) };
    };

    it('is delivered once the configuration names its number: in order, with its own times, once', async () => {
      const customer = customerOf('666');
      const before = serverWith(number(KNOWN));
      const body = customer.body(['one', 'two', 'three']);
      const key = await letterOf(async () => posted(before, body));
      const refused = await redelivered(before, key);
      assert.deepEqual([refused.status, refused.body.code], [409, 'event_unreadable']);
      assert.match(
        String(refused.body['detail']),
        /number_id 666 .* add it to tenants\.demo\.channels of attache\.config/,
      );
      assert.deepEqual(await customer.heard(), []);

      const after = serverWith(number(KNOWN), number('666'));
      const told = [
        ['one', 0],
        ['two', 1],
        ['three', 2],
      ];
      assert.deepEqual((await redelivered(after, key)).results, ['accepted', 'accepted', 'accepted']);
      assert.deepEqual(await customer.heard(), told);
      assert.ok(!(await letters()).includes(key), 'the letter is done with');
      assert.equal(await posted(after, body), 200);
      assert.deepEqual((await redelivered(after, key)).results, ['duplicate', 'duplicate', 'duplicate']);
      assert.deepEqual(await customer.heard(), told);
    });

    it('and the provider’s own retry, and others who ask at the same moment, make one event of each', async () => {
      const customer = customerOf('667');
      const body = customer.body(['one', 'two']);
      const key = await letterOf(async () => posted(serverWith(number(KNOWN)), body));
      const servers = [1, 2, 3].map(() => serverWith(number(KNOWN), number('667')));
      const answers = await Promise.all(
        servers.flatMap((api) => [posted(api, body), redelivered(api, key).then(({ status }) => status)]),
      );
      assert.deepEqual(new Set(answers), new Set([200]));
      assert.deepEqual((await customer.heard()).length, 2);
      assert.ok(!(await letters()).includes(key));
    });

    it('outlives a server that dies between its events', async () => {
      const customer = customerOf('668');
      const key = await letterOf(async () => posted(serverWith(number(KNOWN)), customer.body(['one', 'two'])));
      const dying = serverWith(number(KNOWN), number('668'));
      const { accept } = dying.deps.intake;
      const died = testApi({
        ...dying.deps,
        intake: {
          ...dying.deps.intake,
          accept: async (items) => {
            await accept(items.slice(0, 1));
            throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
          },
        },
      });
      assert.equal((await redelivered(died, key)).status, 503);
      assert.ok((await letters()).includes(key));
      assert.deepEqual((await redelivered(dying, key)).results, ['duplicate', 'accepted']);
      assert.deepEqual((await customer.heard()).length, 2);
    });

    it('leaves a letter of its own for what in it is still unreadable', async () => {
      const customer = customerOf('669');
      const post = JSON.parse(customer.body(['one', 'two'])) as Post;
      Object.assign(messagesIn(post)[0] ?? {}, { group_id: 'g' });
      const key = await letterOf(async () => posted(serverWith(number(KNOWN)), JSON.stringify(post)));
      const after = serverWith(number(KNOWN), number('669'));
      const rest = await letterOf(async () => redelivered(after, key));
      assert.deepEqual(await customer.heard(), [['two', 1]]);
      assert.ok(!(await letters()).includes(key));
      const again = await redelivered(after, rest);
      assert.match(String(again.body['detail']), /groups are not served/);
      assert.equal((await opened.desk.events.get(DEMO, rest))?.attempts, 1);
    });

    it('is believed only about numbers that have the secret which signed it', async () => {
      const customer = customerOf('670');
      const body = customer.body(['one']);
      assert.equal(await posted(serverWith(number(KNOWN)), body, 'forged'), 401);
      const key = await letterOf(async () => posted(serverWith(number(KNOWN)), body));
      const another = await redelivered(serverWith(number(KNOWN), number('670', 'another')), key);
      assert.match(
        String(another.body['detail']),
        /670 has another appSecret in tenants\.demo\.channels .* correct it/,
      );
      const changed = await redelivered(serverWith(number(KNOWN, 'another'), number('670', 'another')), key);
      assert.match(String(changed.body['detail']), /no channel of kind "whatsapp" .* has the appSecret that signed it/);
      assert.equal((await redelivered(serverWith(), key)).status, 409);
      assert.deepEqual(await customer.heard(), []);
      // A number that was mistyped, corrected.
      assert.deepEqual((await redelivered(serverWith(number('670')), key)).results, ['accepted']);
    });

    it('that nothing vouches for is dropped and never read', async () => {
      const body = customerOf(KNOWN).body(['forged']);
      const unsigned = { tenant: DEMO, source: `whatsapp:${KNOWN}`, body, problem: 'kept by an earlier version' };
      const key = await letterOf(async () => opened.desk.intake.storeUnreadable(unsigned));
      const { status, body: problem } = await redelivered(serverWith(number(KNOWN)), key);
      assert.deepEqual([status, problem.code], [409, 'event_unreadable']);
      assert.match(String(problem['detail']), /cannot be believed: drop it/);
    });

    it('of a Chatwoot account is read once its number is right, as of when it came', async () => {
      const conversation = { id: 42, status: 'pending' };
      const message = { id: 91, content: null, created_at: new Date().toISOString(), message_type: 'incoming' };
      const event = { event: 'message_created', ...message, conversation, account: { id: 7 } };
      const opened42 = {
        event: 'conversation_created',
        ...conversation,
        created_at: message.created_at,
        account: { id: 7 },
      };
      const keys: string[] = [];
      for (const body of [JSON.stringify(event), JSON.stringify(opened42)]) {
        const hex = createHmac('sha256', 'shared').update(`1790000000.${body}`).digest('hex');
        const headers = { 'x-chatwoot-signature': `sha256=${hex}`, 'x-chatwoot-timestamp': '1790000000' };
        const post = async () =>
          serverWith(account(1)).ask('/webhooks/chatwoot/demo', { method: 'POST', body, headers });
        keys.push(await letterOf(post));
      }
      const [empty = '', created = ''] = keys;
      const wrong = await redelivered(serverWith(account(1)), created);
      assert.match(String(wrong.body['detail']), /is of account 7, .* correct accountId/);
      const right = serverWith(account(7));
      assert.deepEqual((await redelivered(right, created)).results, ['accepted']);
      // With nothing in it yet when it came: it said nothing then, and says nothing now.
      assert.deepEqual((await redelivered(right, empty)).results, []);
    });
  });

interface Post {
  readonly entry: readonly { readonly changes: readonly { readonly value: { readonly messages: object[] } }[] }[];
}

function messagesIn({ entry }: Post): object[] {
  return entry[0]?.changes[0]?.value.messages ?? [];
}

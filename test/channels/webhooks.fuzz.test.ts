import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ChatwootConfig } from '../../src/channels/chatwoot/config.ts';
import { parseChatwootWebhook } from '../../src/channels/chatwoot/parse-webhook.ts';
import { parseEvents } from '../../src/channels/generic/parse-events.ts';
import { InvalidInputError } from '../../src/domain/errors.ts';
import { eventSchemaOf } from '../../src/domain/schemas/events.ts';
import type { TenantId } from '../../src/domain/ids.ts';
import { bodies, CHATWOOT, GENERIC } from '../support/strange-bodies.ts';

const ACCOUNT = ChatwootConfig.parse({
  ...{ kind: 'chatwoot', url: 'http://chatwoot.invalid', accountId: 1, apiToken: 'token', webhookSecret: 'secret' },
});

describe('the other webhooks, given valid bodies with something changed in them', () => {
  it('of Chatwoot never throw, and all they accept fits the schema of events', () => {
    fc.assert(
      fc.property(bodies(CHATWOOT), (body) => {
        const { items, unreadable, ignored } = parseChatwootWebhook({
          tenant: 'acme' as TenantId,
          body,
          account: ACCOUNT,
          now: 0,
        });
        for (const { event } of items) assert.equal(eventSchemaOf(event).safeParse(event).error, undefined);
        assert.ok(items.length + unreadable.length + ignored.length > 0);
        for (const letter of unreadable) {
          const again = { tenant: letter.tenant, body: Buffer.from(letter.body), account: ACCOUNT, now: 0 };
          assert.deepEqual(parseChatwootWebhook(again).unreadable, [letter]);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('by Standard Webhooks judge each event alone, or refuse the body as a whole', () => {
    fc.assert(
      fc.property(fc.oneof(bodies(GENERIC), bodies([GENERIC])), (body) => {
        try {
          for (const item of parseEvents({ tenant: 'acme' as TenantId, body, now: Date.now() }))
            assert.ok(item.ok || item.problems.length > 0);
        } catch (error) {
          assert.ok(error instanceof InvalidInputError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

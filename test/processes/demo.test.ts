import assert from 'node:assert/strict';
import { ApplicationFailure } from '@temporalio/common';
import { UNKNOWN_AGENT } from '../../src/activities/failures.ts';
import { ConfigFile } from '../../src/config/config-file.ts';
import { readConfig } from '../../src/config/load-config.ts';
import type { Config } from '../../src/config.ts';
import { welcome } from '../../src/processes/demo.ts';
import { temporalLogger } from '../../src/processes/temporal-log.ts';

const AT = { url: 'http://127.0.0.1:8080', temporalUi: null };
const AGENT = 'lead-qualification';
const config = (tenants?: Config['tenants']): Config => {
  const read = readConfig({ command: 'dev', env: {}, folder: '/nonexistent' });
  return tenants === undefined ? read : { ...read, tenants };
};
const acme = (written: object): Config => config(ConfigFile.parse({ tenants: { acme: written } }).tenants);

describe('what a start says', () => {
  it('is how the demo’s run stands: attached, or how it ended and how to attach it again', () => {
    const live = welcome(config(), { ...AT, demo: { agent: AGENT, status: 'IN_PROGRESS', reason: null } });
    assert.match(live, /lead-qualification, is attached to conversation 1 of tenant demo/);
    assert.match(live, /npx attache say 1 "Hi, how much is it\?"/);
    const over = welcome(config(), {
      ...AT,
      demo: { agent: AGENT, status: 'EXITED_ON_OUTBOUND', reason: 'taken_over' },
    });
    assert.doesNotMatch(over, /is attached to|attache say/);
    assert.match(over, /has ended: EXITED_ON_OUTBOUND \(taken_over\)/);
    assert.match(over, /npx attache attach lead-qualification conversation\/1\n/);
  });

  it('promises watchers only where the tenant has an ERP, and a made-up business only where that is it', () => {
    const demo = { agent: AGENT, status: 'IN_PROGRESS', reason: null };
    assert.match(welcome(config(), { ...AT, demo }), /Five watchers look after a made-up business\. In half a minute/);
    const { demo: tenant } = config().tenants;
    assert.ok(tenant !== undefined);
    const { erp: none, ...bare } = tenant;
    assert.ok(none !== undefined);
    assert.doesNotMatch(welcome(config({ demo: bare }), { ...AT, demo }), /watchers|business|investigations/);
    const erp = { kind: 'http', url: 'http://127.0.0.1:1', token: 'x' } as never;
    const own = welcome(config({ demo: { ...bare, erp } }), { ...AT, demo });
    assert.match(own, /Five watchers look after its ERP\. They propose/);
  });

  it('names a tenant of one’s own configuration, where there is no demo', () => {
    const own = welcome(acme({ channels: [{ kind: 'simulated' }] }), { ...AT, demo: null });
    assert.match(own, /npx attache attach lead-qualification conversation\/1 --tenant acme/);
    assert.doesNotMatch(own, /demo/);
  });

  it('names no conversation that only a customer of a provider can begin, but what attaches there and how to play one', () => {
    const channels = [{ kind: 'whatsapp', phoneNumberId: '1', accessToken: 'a', appSecret: 's', verifyToken: 'v' }];
    const none = welcome(acme({ channels }), { ...AT, demo: null });
    assert.doesNotMatch(none, /conversation\/1/);
    assert.match(none, /begins when a customer writes; no agent is attached then: autoAttach/);
    assert.match(none, /npx attache simulate whatsapp --tenant acme\n/);
    const autoAttach = [{ on: 'conversation.opened', agent: AGENT }];
    assert.match(welcome(acme({ channels, autoAttach }), { ...AT, demo: null }), /attaches lead-qualification\./);
  });
});

describe('what Temporal’s logger says of a run that is held up', () => {
  it('is one line without a stack, once in five minutes', () => {
    const said: unknown[] = [];
    const say = (fields: object, message: string) => said.push({ ...fields, message });
    const logger = temporalLogger({ info: say, warn: say, error: say });
    const error = ApplicationFailure.create({ message: 'tenants.demo.erp is missing', type: UNKNOWN_AGENT });
    for (let attempt = 1; attempt <= 31; attempt += 1)
      logger.warn('Activity failed', { error, attempt, workflowId: 'run/demo/business/stockout' });
    const line = { run: 'run/demo/business/stockout', why: 'tenants.demo.erp is missing', message: 'a run is held up' };
    assert.deepEqual(said, [line, line]);
  });
});

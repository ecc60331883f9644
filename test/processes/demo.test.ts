import assert from 'node:assert/strict';
import { readConfig } from '../../src/config/load-config.ts';
import type { Config } from '../../src/config.ts';
import { welcome } from '../../src/processes/demo.ts';

const AT = { url: 'http://127.0.0.1:8080', temporalUi: null };
const AGENT = 'lead-qualification';
const config = (tenants?: Config['tenants']): Config => {
  const read = readConfig({ command: 'dev', env: {}, folder: '/nonexistent' });
  return tenants === undefined ? read : { ...read, tenants };
};

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

  it('names a tenant of one’s own configuration, where there is no demo', () => {
    const own = welcome(config({ acme: { name: 'Acme' } as never }), { ...AT, demo: null });
    assert.match(own, /npx attache attach lead-qualification conversation\/1 --tenant acme/);
    assert.doesNotMatch(own, /demo/);
  });
});

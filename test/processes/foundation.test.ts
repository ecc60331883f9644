import assert from 'node:assert/strict';
import { readConfig } from '../../src/config/load-config.ts';
import { ConfigError } from '../../src/config.ts';
import { openFoundation } from '../../src/processes/foundation.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('what a process stands on', () => {
  const folder = mkdtempSync(join(tmpdir(), 'attache-foundation-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('is refused when the configuration names an agent that does not exist, or that refuses its configuration, naming each place', async () => {
    const tenants = {
      acme: {
        autoAttach: [
          { on: 'conversation.opened', agent: 'lead-qualificaton' },
          { on: 'conversation.opened', agent: 'lead-qualification', config: { maxFollowUps: 'many' } },
        ],
        agents: { ghost: { policy: { retryAfter: '2h' } } },
      },
    };
    writeFileSync(join(folder, 'attache.config.json'), JSON.stringify({ tenants }));
    const config = readConfig({ command: 'dev', env: {}, folder });
    await assert.rejects(openFoundation(config), (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      assert.deepEqual(
        error.problems.map(({ path }) => path),
        [
          'tenants.acme.autoAttach.0.agent',
          'tenants.acme.autoAttach.1.config.maxFollowUps',
          'tenants.acme.agents.ghost',
        ],
      );
      assert.match(error.message, /there is no agent ghost; there are lead-qualification, follow-up/);
      return true;
    });
  });
});

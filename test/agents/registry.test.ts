import assert from 'node:assert/strict';
import { BUILT_IN, createRegistry, WATCHERS } from '../../src/agents/registry.ts';
import { BUSINESS, parseSubject } from '../../src/domain/ids.ts';
import { resolvePolicy } from '../../src/domain/schemas/policy.ts';

/** None, but for those that cannot guess. */
const LEAST: Readonly<Record<string, object>> = {
  notify: { text: 'hello' },
  'appointment-reminder': { startsAt: '2026-12-24T12:00:00Z' },
};

describe('the registry', () => {
  const registry = createRegistry();

  it('finds an agent by key and names the candidates of a subject', () => {
    assert.equal(registry.get('follow-up')?.title, 'Follow-up');
    assert.equal(registry.get('nobody'), undefined);
    assert.deepEqual(
      registry.candidatesFor(parseSubject('conversation/1')).map(({ slot }) => slot),
      ['answering', 'follow-up'],
    );
    assert.deepEqual(registry.candidatesFor(BUSINESS), WATCHERS);
  });

  it('refuses two agents with one key', () => assert.throws(() => createRegistry([...BUILT_IN, ...BUILT_IN])));

  for (const agent of BUILT_IN)
    it(`${agent.key} works with the least configuration, its state fits its own schema and both survive the wire`, () => {
      const config = agent.config.parse(LEAST[agent.key] ?? {}) as Parameters<typeof agent.initialState>[0];
      const wire: unknown = JSON.parse(JSON.stringify(config));
      assert.deepEqual(agent.config.parse(wire), config);
      const state = agent.initialState(config);
      assert.deepEqual(agent.state.parse(JSON.parse(JSON.stringify(state))), state);
      assert.ok(resolvePolicy(agent.policy));
    });
});

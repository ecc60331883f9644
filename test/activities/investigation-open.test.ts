import assert from 'node:assert/strict';
import { investigationOpen } from '../../src/activities/effects/investigation-open.ts';
import type { Occurrence } from '../../src/activities/deps.ts';
import type { Performing } from '../../src/activities/effects/performer.ts';
import { openInvestigation } from '../../src/agents/effects.ts';
import { resolvePolicy } from '../../src/domain/schemas/policy.ts';

describe('the effect that opens an investigation', () => {
  const performing = (signature: string, told: Occurrence[], investigator: object | null): Performing => {
    const run = { tenant: 'acme', agent: 'restock', subject: 'business', slot: 'restock', attachment: 'a1' };
    const effect = openInvestigation({ signature, summary: 'P-1 runs out', trigger: { productId: 'P-1' } });
    const policy = resolvePolicy({ investigation: { expiresIn: '2h' } });
    const desk = {
      investigations: { countedBy: async (_: string, key: string) => Promise.resolve(key === 'counted' ? 'w1' : null) },
    };
    const deps = {
      desk,
      agents: { get: () => ({ investigator }) },
      occurred: async (of: Occurrence) => Promise.resolve(void told.push(of)),
    };
    return { deps, input: { effect, run, key: 'k1', policy, since: '', performs: 0 } } as unknown as Performing;
  };

  it('tells the investigation of that name, with the key that counts it and the policy that bounds it', async () => {
    const told: Occurrence[] = [];
    await investigationOpen.call(performing('stockout:P-1', told, {}));
    const [of] = told;
    assert.equal(of?.workflowId, 'investigation/acme/restock/stockout:P-1');
    assert.deepEqual(of.occurred, { effectKey: 'k1' });
    assert.deepEqual([of.input.policy.expiresIn, of.input.policy.remindAfter], ['2h', '8h']);
    assert.deepEqual(of.input.openedBy, { subject: 'business', slot: 'restock', id: 'a1' });
  });

  it('is not called again once an investigation has counted it, live or ended', async () => {
    const { deps, input } = performing('stockout:P-1', [], {});
    const lookUp = async (key: string) =>
      investigationOpen.lookUp({ deps, input: { ...input, key } } as unknown as Performing);
    assert.deepEqual(await lookUp('counted'), { made: true, providerId: 'w1' });
    assert.equal(await lookUp('k1'), 'repeatable');
  });

  it('fails for an agent that declares no investigator, and hashes a signature that no id can hold', async () => {
    const told: Occurrence[] = [];
    assert.deepEqual(await investigationOpen.before(performing('s', told, null)), {
      result: 'failed',
      reason: 'no_investigator',
    });
    await investigationOpen.call(performing('x'.repeat(180), told, {}));
    assert.match(told[0]?.workflowId ?? '', /^investigation\/acme\/restock\/sha256=/);
  });
});

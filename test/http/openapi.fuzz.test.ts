import assert from 'node:assert/strict';
import { fuzzApi } from '../support/api-fuzz.ts';
import { SEED } from '../support/seed.ts';

describe('the API, as its own OpenAPI document describes it', () => {
  it('answers anybody, whatever the order, within its schemas, their tenant and their role', async () => {
    const { requests, violations } = await fuzzApi({ rounds: 2, seed: SEED });
    assert.ok(requests > 100);
    assert.deepEqual(violations, [], `npm run chaos -- api 2 ${SEED}: ${violations.join('\n')}`);
  });
});

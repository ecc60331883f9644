import assert from 'node:assert/strict';
import { fuzzApi } from '../support/api-fuzz.ts';

describe('the API, as its own OpenAPI document describes it', () => {
  it('answers anybody, whatever the order, within its schemas, their tenant and their role', async () => {
    const seed = Date.now();
    const { requests, violations } = await fuzzApi({ rounds: 2, seed });
    assert.ok(requests > 100);
    assert.deepEqual(violations, [], `npm run chaos -- api 2 ${seed}: ${violations.join('\n')}`);
  });
});

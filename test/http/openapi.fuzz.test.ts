import assert from 'node:assert/strict';
import { fuzzApi } from '../support/api-fuzz.ts';

describe('the API, as its own OpenAPI document describes it', () => {
  it('answers anybody, whatever the order, within its schemas, their tenant and their role', async () => {
    const { requests, violations } = await fuzzApi({ rounds: 4, seed: Date.now() });
    assert.ok(requests > 200);
    assert.deepEqual(violations, []);
  });
});

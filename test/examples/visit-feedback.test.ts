import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { OUTCOME_RULES } from '../../src/index.ts';
import { story } from '../../examples/rehearse-visit-feedback.ts';

const guide = readFileSync(new URL('../../docs/guide/agents.md', import.meta.url), 'utf8');
const source = (name: string): string =>
  readFileSync(new URL(`../../examples/${name}`, import.meta.url), 'utf8').trim();

describe('the guide to agents', () => {
  it('shows the example as it stands in its file', () => {
    const published = source('visit-feedback.ts');
    assert.ok(guide.includes(published), 'docs/guide/agents.md differs from examples/visit-feedback.ts');
  });

  it('explains every rule of an outcome, and no other', () => {
    const table = [...guide.matchAll(/^\| `([a-z]+(?:_[a-z]+)+)` +\|/gm)].map(([, rule]) => rule);
    assert.deepEqual(table, [...OUTCOME_RULES]);
  });

  it('shows what the rehearsal prints', async () => {
    assert.ok(guide.includes((await story()).join('\n')), (await story()).join('\n'));
  });
});

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { rehearse } from '../../src/testing.ts';
import { nudge } from '../../examples/nudge.ts';

const root = new URL('../../', import.meta.url);
const readme = readFileSync(new URL('README.md', root), 'utf8');

describe('the README', () => {
  it('shows its agent as it stands in its file', () => {
    const source = readFileSync(new URL('examples/nudge.ts', root), 'utf8').trim();
    assert.ok(readme.includes(source), 'differs from examples/nudge.ts');
  });

  it('shows an agent that asks once and is content with any answer', async () => {
    const story = await rehearse(nudge, { at: '2026-06-01T12:00:00Z', config: { question: 'Still interested?' } });
    await story.customer.says('yes!');
    assert.deepEqual(
      [story.sent.map(({ text }) => text), story.run.status, story.run.reason],
      [['Still interested?'], 'EXITED_ON_INBOUND', 'customer_replied'],
    );
  });

  it('links to nothing that does not exist, and names no test that does not', () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)|`((?:test|src|examples)\/[^`*]+)`/g)];
    const missing = links
      .map(([, link, path]) => link ?? path ?? '')
      .filter((path) => !existsSync(new URL(path, root)));
    assert.deepEqual(missing, []);
  });
});

import assert from 'node:assert/strict';
import { say, sayAll } from '../../src/index.ts';

describe('a message of an agent', () => {
  it('of any length becomes as many sends as it takes, in order, with the same options', () => {
    const sentence = 'Every room has a window to the garden. ';
    const parts = sayAll(sentence.repeat(300), { proactive: true });
    assert.equal(parts.length, 3);
    assert.ok(parts.every((part) => part.proactive && (part.text ?? '').endsWith('garden.')));
    assert.equal(parts.map((part) => part.text).join(' '), sentence.repeat(300).trim());
  });

  it('that is short is one send', () => {
    assert.deepEqual(sayAll('Hi'), [say('Hi')]);
  });
});

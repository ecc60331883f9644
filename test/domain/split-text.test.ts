import assert from 'node:assert/strict';
import fc from 'fast-check';
import { splitText } from '../../src/domain/split-text.ts';

describe('long text', () => {
  it('that fits is one part, and white space alone is none', () => {
    assert.deepEqual(splitText('  Hello there \n', 11), ['Hello there']);
    assert.deepEqual(splitText(' \n ', 5), []);
  });

  it('is cut between paragraphs before lines, sentences before words', () => {
    assert.deepEqual(splitText('One two.\n\nThree\nfour', 15), ['One two.', 'Three\nfour']);
    assert.deepEqual(splitText('One two. Three four', 12), ['One two.', 'Three four']);
    assert.deepEqual(splitText('one two three four', 13), ['one two three', 'four']);
  });

  it('is never cut inside a character, however many code points it has', () => {
    const family = '👨‍👩‍👧‍👦';
    assert.deepEqual(splitText(`ab${family}`.repeat(2), 20), [`ab${family}ab`, family]);
    assert.deepEqual(splitText('e\u0301'.repeat(4), 5), ['e\u0301e\u0301', 'e\u0301e\u0301']);
  });

  it('keeps every word in order, in parts that fit and are not empty', () => {
    const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), fc.integer({ min: 20, max: 80 }), (words, limit) => {
        const text = words.join(' ');
        const parts = splitText(text, limit);
        for (const part of parts) assert.ok(part.length > 0 && part.length <= limit);
        assert.equal(parts.join('').replace(/\s/g, ''), text.replace(/\s/g, ''));
      }),
      { numRuns: 300 },
    );
  });
});

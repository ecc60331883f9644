import assert from 'node:assert/strict';
import { otherPhoneForms } from '../../../src/channels/whatsapp/phone-forms.ts';

describe('the spellings of a phone number', () => {
  const pairs: readonly (readonly [string, string, string])[] = [
    ['a Brazilian mobile with and without its ninth digit', '5531980000001', '553180000001'],
    ['a Mexican mobile with and without the old 1', '525512345678', '5215512345678'],
    ['an Argentine mobile with and without its 9', '5491123456789', '541123456789'],
  ];
  for (const [what, one, other] of pairs)
    it(`lead from either to the other: ${what}`, () => {
      assert.deepEqual(otherPhoneForms(one), [other]);
      assert.deepEqual(otherPhoneForms(other), [one]);
    });

  it('are one only for a Brazilian landline, and it never becomes a mobile', () => {
    assert.deepEqual(otherPhoneForms('553132000001'), []);
    assert.deepEqual(otherPhoneForms('551151234567'), []);
  });

  it('do not turn a mobile into the landline that has its last eight digits', () => {
    assert.deepEqual(otherPhoneForms('5511951234567'), []);
  });

  it('are one only everywhere else, and for what is no number', () => {
    for (const digits of ['12025550123', '351912345678', '55', '', '5500980000001', '521'])
      assert.deepEqual(otherPhoneForms(digits), []);
  });
});

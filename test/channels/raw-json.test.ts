import assert from 'node:assert/strict';
import { readJson, storableBody } from '../../src/channels/raw-json.ts';

describe('JSON from strangers', () => {
  it('keeps keys that would be dangerous as what they are: keys', () => {
    const json = readJson('{"__proto__":{"admin":true},"a":1}');
    assert.ok(json.ok);
    assert.equal((json.value as { admin?: boolean }).admin, undefined);
    assert.deepEqual(Object.keys(json.value as object), ['__proto__', 'a']);
  });

  it('says where it stopped being JSON', () => {
    const json = readJson('{"a":');
    assert.ok(!json.ok);
    assert.match(json.problem, /^not JSON: /);
  });

  it('of any depth is told, not thrown', () => {
    assert.deepEqual(readJson('['.repeat(61) + ']'.repeat(61)), { ok: false, problem: 'nested deeper than 60 levels' });
    assert.ok(readJson('['.repeat(60) + ']'.repeat(60)).ok);
  });

  it('as text of any bytes can be stored', () => {
    assert.equal(storableBody(Buffer.from([0x61, 0x00, 0xff, 0x62])), 'a\uFFFD\uFFFDb');
  });
});

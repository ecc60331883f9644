import assert from 'node:assert/strict';
import { handshakeChallenge, signedBy } from '../../../src/channels/whatsapp/verify.ts';
import { SECRET, signed } from './samples.ts';

const BODIES = {
  'an escaped surrogate pair': Buffer.from('{"text":{"body":"ok \\ud83d\\udc4d"}}'),
  'a raw UTF-8 emoji': Buffer.from('{"text":{"body":"ok 👍"}}'),
  'odd white space': Buffer.from('{ "text" :\r\n\t{"body"  : "ok"} }\n\n'),
  'no UTF-8 at all': Buffer.from([0xff, 0xfe, 0x00, 0x80]),
};

describe('the signature of a WhatsApp webhook (B18)', () => {
  for (const [what, body] of Object.entries(BODIES)) {
    it(`is accepted over a body with ${what}`, () => {
      assert.equal(signedBy({ body, signature: signed(body), appSecrets: [SECRET] }), SECRET);
    });

    it(`is refused when any one byte of a body with ${what} was changed`, () => {
      for (const index of body.keys()) {
        const changed = Buffer.from(body);
        changed[index] = (changed[index] ?? 0) ^ 1;
        assert.equal(signedBy({ body: changed, signature: signed(body), appSecrets: [SECRET] }), undefined);
      }
    });
  }

  it('names which of several secrets made it', () => {
    const body = Buffer.from('{}');
    assert.equal(signedBy({ body, signature: signed(body, 'two'), appSecrets: ['one', 'two', 'three'] }), 'two');
  });

  it('is refused when it is missing, of another scheme, too short or no hex', () => {
    const body = Buffer.from('{}');
    const hex = signed(body).slice('sha256='.length);
    for (const signature of [
      undefined,
      '',
      hex,
      `sha1=${hex}`,
      `sha256=${hex.slice(2)}`,
      `sha256=${hex}00`,
      'sha256='.padEnd(71, 'z'),
    ])
      assert.equal(signedBy({ body, signature, appSecrets: [SECRET] }), undefined, String(signature));
  });

  it('is refused when no secret is configured', () => {
    assert.equal(signedBy({ body: Buffer.from('{}'), signature: signed('{}'), appSecrets: [] }), undefined);
  });
});

describe('the handshake of a WhatsApp webhook', () => {
  const query = { 'hub.mode': 'subscribe', 'hub.verify_token': 'word', 'hub.challenge': '1158201444' };

  it('answers the challenge to whoever knows one of the verify tokens', () => {
    assert.equal(handshakeChallenge(query, ['other', 'word']), '1158201444');
  });

  it('answers nothing for a wrong token, another mode or a missing field', () => {
    assert.equal(handshakeChallenge({ ...query, 'hub.verify_token': 'wor' }, ['word']), undefined);
    assert.equal(handshakeChallenge({ ...query, 'hub.mode': 'unsubscribe' }, ['word']), undefined);
    assert.equal(handshakeChallenge({ ...query, 'hub.challenge': undefined }, ['word']), undefined);
    assert.equal(handshakeChallenge({ ...query, 'hub.verify_token': undefined }, ['word']), undefined);
    assert.equal(handshakeChallenge(query, []), undefined);
  });
});

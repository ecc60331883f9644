import assert from 'node:assert/strict';
import { createLogger } from '../../src/telemetry/logger.ts';

describe('the log', () => {
  const logged = (fields: object): Record<string, unknown> => {
    let line = '';
    createLogger({ logLevel: 'info' }, { write: (text: string) => void (line = text) }).info(fields, 'said');
    return JSON.parse(line) as Record<string, unknown>;
  };

  it('never shows who wrote or what was written, at any depth in use', () => {
    const person = {
      address: '5511999990000',
      phone: '+55 11',
      text: 'my secret',
      name: 'Ana',
      aliases: ['x'],
      contact: { id: 'y' },
    };
    for (const fields of [person, { message: person }, { event: { data: person } }]) {
      assert.doesNotMatch(JSON.stringify(logged(fields)), /5511|\+55|my secret/);
    }
    assert.doesNotMatch(JSON.stringify(logged({ event: { data: person } })), /Ana/);
  });

  it('never shows what opens doors', () => {
    const line = JSON.stringify(
      logged({
        headers: { authorization: 'Bearer abc' },
        channel: { accessToken: 'abc', config: { appSecret: 'abc' } },
        apiKey: 'abc',
      }),
    );
    assert.doesNotMatch(line, /abc/);
    assert.match(line, /\[redacted\]/);
  });

  it('keeps an error’s kind, words, place and cause', () => {
    const cause = Object.assign(new RangeError('too far'), { code: 'E_FAR', address: '5511999990000' });
    const line = logged({ error: new TypeError('bad', { cause }) }) as { error: Record<string, unknown> };
    const { type, message, at } = line.error;
    assert.deepEqual([type, message], ['TypeError', 'bad']);
    assert.match((at as string[])[0] ?? '', /logger\.test\.ts:\d+/);
    const caused = line.error['cause'] as Record<string, unknown>;
    assert.deepEqual({ ...caused, at: null }, { type: 'RangeError', message: 'too far', code: 'E_FAR', at: null });
    assert.deepEqual(logged({ cause: 'E_TIMEOUT' })['cause'], 'E_TIMEOUT');
  });

  it('keeps what an operator needs: level in words, the instant, the run', () => {
    const line = logged({ run: 'acme/conversation/42/answering', tick: 3 });
    assert.equal(line['level'], 'info');
    assert.equal(line['run'], 'acme/conversation/42/answering');
    assert.equal(new Date(String(line['time'])).toISOString(), line['time']);
  });
});

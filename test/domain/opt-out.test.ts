import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isOptIn, isOptOut } from '../../src/domain/opt-out.ts';

describe('opt-out words', () => {
  for (const text of [
    'STOP',
    'stop',
    ' Stop. ',
    'S\u0301top',
    'ＳＴＯＰ',
    'opt-out',
    'Opt out!',
    'STOP ALL',
    'stop 🛑',
    '¡Baja!',
    'SAIR',
    'Parar',
    'Arrêt',
    'arre\u0302t',
    'Désabonner',
    'please stop',
    'Cancelar suscripción',
    'Stop writing to me, please!',
    'Don’t contact me',
    'Por favor, no me escriban más',
    'Pare de me mandar mensagens',
  ])
    it(`takes ${JSON.stringify(text)} as an opt-out`, () => assert.equal(isOptOut(text), true));

  for (const text of [
    'the bus stop is near',
    "don't stop",
    'I want to cancel my appointment on Friday',
    'no',
    'não',
    'sim, quero parar na quinta',
    'stop by tomorrow?',
    '',
    '🛑',
    'quero cancelar a visita',
    'stopper',
    'please cancel',
    'stop writing to me at work, use this number',
    'please',
  ])
    it(`takes ${JSON.stringify(text)} as conversation`, () => assert.equal(isOptOut(text), false));

  it('takes back an opt-out by a word of its own, never by a plain yes', () => {
    for (const text of ['START', 'unstop', 'Voltar', 'ALTA']) assert.equal(isOptIn(text), true, text);
    for (const text of ['yes', 'sim', 'sí', 'start with the small room']) assert.equal(isOptIn(text), false, text);
  });

  it('never takes one text as both', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom('stop', 'start', 'alta', 'baja'), fc.string()),
        (text) => !(isOptOut(text) && isOptIn(text)),
      ),
    );
  });

  it('never counts inside a sentence, whatever stands around the word', () => {
    const word = fc
      .stringMatching(/^[a-z]{3,12}$/)
      .filter((text) => !['stop', 'please', 'all', 'por', 'favor', 'para'].includes(text));
    fc.assert(fc.property(word, word, (before, after) => !isOptOut(`${before} stop ${after}`)));
  });

  it('answers at once for a huge body', () => assert.equal(isOptOut('stop '.repeat(100_000)), false));
});

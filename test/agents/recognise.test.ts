import assert from 'node:assert/strict';
import fc from 'fast-check';
import { dateIn } from '../../src/agents/lead-qualification/dates.ts';
import {
  asksIfRobot,
  asksPrice,
  declines,
  isCourtesy,
  wantsPerson,
} from '../../src/agents/lead-qualification/intents.ts';
import { listen } from '../../src/agents/lead-qualification/listen.ts';
import { numberIn } from '../../src/agents/lead-qualification/numbers.ts';
import { recognise } from '../../src/agents/lead-qualification/recognise.ts';
import { Question } from '../../src/agents/lead-qualification/schemas.ts';
import { languageOfWords, type Language } from '../../src/agents/language.ts';

/** A Tuesday. */
const TODAY = '2026-06-02';
const date = (text: string, language: Language = 'en'): string | null => dateIn(text, { today: TODAY, language });
const asked = (question: object, text: string): string | null =>
  recognise(Question.parse({ id: 'q', text: '?', ...question }), text, { language: 'en', today: TODAY });

describe('recognising answers', () => {
  for (const [text, value] of [
    ['2', '2'],
    ['we are 4 people', '4'],
    ['R$ 1.500,50', '1500.5'],
    ['$1,500.50', '1500.5'],
    ['1.500', '1500'],
    ['2,5', '2.5'],
    ['10k', '10000'],
    ['3 mil', '3000'],
    ['1.234.567', '1234567'],
    ['duas, por favor', '2'],
    ['tres', '3'],
    ['2 or 3', null],
    ['a few', null],
    ['', null],
  ] as const)
    it(`reads the number in ${JSON.stringify(text)} as ${value ?? 'none'}`, () => assert.equal(numberIn(text), value));

  for (const [text, value, language] of [
    ['2026-12-24', '2026-12-24', 'en'],
    ['24/12', '2026-12-24', 'pt'],
    ['01/03/2027', '2027-03-01', 'es'],
    ['12/24/2026', '2026-12-24', 'en'],
    ['03/04', null, 'en'],
    ['24 de dezembro', '2026-12-24', 'pt'],
    ['December 24th', '2026-12-24', 'en'],
    ['el 1 de marzo', '2027-03-01', 'es'],
    ['today', TODAY, 'en'],
    ['amanhã', '2026-06-03', 'pt'],
    ['mañana', '2026-06-03', 'es'],
    ['el viernes por la mañana', '2026-06-05', 'es'],
    ['tuesday', '2026-06-09', 'en'],
    ['31/02', null, 'pt'],
    ['soon', null, 'en'],
    ['friday or saturday', null, 'en'],
  ] as const)
    it(`reads the date in ${JSON.stringify(text)} (${language}) as ${value ?? 'none'}`, () =>
      assert.equal(date(text, language), value));

  it('reads e-mail addresses and phone numbers out of a sentence', () => {
    assert.equal(asked({ kind: 'email' }, 'it is Ana.Lima+x@Example.com.br, thanks'), 'ana.lima+x@example.com.br');
    assert.equal(asked({ kind: 'phone' }, 'call +55 (11) 98765-4321 please'), '+5511987654321');
    assert.equal(asked({ kind: 'phone' }, '12'), null);
  });

  it('takes for a time whatever speaks of one, in the customer’s words, and nothing else', () => {
    for (const text of [
      ...[
        'as soon as possible',
        'Next month',
        'the 15th',
        'in May',
        'no rush',
        "I don't know yet",
        'when my lease ends',
      ],
      ...['Semana que vem', 'o quanto antes', 'em março', 'não sei', 'sem pressa', 'depois das férias', 'sábado'],
      ...['lo antes posible', 'mañana', 'en dos semanas', 'no sé', 'Después de Navidad', 'ya', 'el próximo año'],
    ])
      assert.equal(asked({ kind: 'when' }, text), text);
    for (const text of [
      ...['I want whitening', 'Good afternoon, I want whitening', 'I may want braces', 'yes', 'a set of veneers'],
      ...[
        'Quero clareamento',
        'Bom dia, é para a minha filha',
        'aparelho',
        'Quiero un blanqueamiento',
        'Buenas tardes',
        '',
      ],
    ])
      assert.equal(asked({ kind: 'when' }, text), null, text);
  });

  it('reads yes and no, and neither out of both', () => {
    for (const text of ['yes', 'Sim, claro', 'sí', 'ok!']) assert.equal(asked({ kind: 'yesNo' }, text), 'yes', text);
    for (const text of ['no', 'não', 'No, I am not sure', 'nope'])
      assert.equal(asked({ kind: 'yesNo' }, text), 'no', text);
    for (const text of ['yes and no', 'maybe', '']) assert.equal(asked({ kind: 'yesNo' }, text), null, text);
  });

  it('reads a choice by its words, its number or what only it holds, in any language', () => {
    const question = {
      kind: 'choice',
      choices: [{ en: 'To rent', pt: 'Alugar' }, { en: 'To buy', pt: 'Comprar' }, 'Both'],
    };
    for (const text of ['to rent', 'quero alugar', '1', 'option 1', 'rent'])
      assert.equal(asked(question, text), 'To rent', text);
    for (const text of ['rent or buy', '4', 'to', '']) assert.equal(asked(question, text), null, text);
  });

  it('answers any text at all, for every kind', () => {
    const kinds = [
      { kind: 'text' },
      { kind: 'number' },
      { kind: 'email' },
      { kind: 'phone' },
      { kind: 'date' },
      { kind: 'when' },
      { kind: 'yesNo' },
      { kind: 'choice', choices: ['a', 'b'] },
    ];
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.string({ unit: 'grapheme' }), (kind, text) => {
        const answer = asked(kind, text);
        assert.ok(answer === null || answer.length > 0);
      }),
    );
  });

  it('hears a flood of huge messages in no time', () => {
    const huge = ['1 ', '@', 'a.', '(1)', 'talk to ', 'hi ', 'no thanks '].map((text) => text.repeat(8_000));
    for (const kind of ['number', 'email', 'phone', 'date', 'when', 'yesNo', 'text']) {
      const unanswered = [Question.parse({ id: 'q', text: '?', kind })];
      const flood = Array.from({ length: 50 }, () => huge).flat();
      assert.ok(listen(flood, { unanswered, asked: 2, listening: { language: 'en', today: TODAY } }).answers['q']);
    }
  });
});

describe('recognising what else a customer wants', () => {
  it('hears the wish for a person and not the mention of one', () => {
    for (const text of [
      'I want to speak with a real person',
      'connect me with an agent',
      'falar com uma atendente',
      'hablar con un asesor',
      'agente',
    ])
      assert.ok(wantsPerson(text), text);
    for (const text of [
      'one person',
      'I talked to my wife',
      'am I talking to a person?',
      'duas pessoas',
      'somos tres personas',
    ])
      assert.ok(!wantsPerson(text), text);
  });

  it('hears the question for a price and not the mention of money', () => {
    for (const text of [
      'how much is it',
      'What is the price?',
      'quanto custa',
      'qual o valor?',
      '¿cuánto cuesta?',
      '¿Precio?',
    ])
      assert.ok(asksPrice(text), text);
    for (const text of ['a low cost flat', 'how much time do you need', 'valor até 500 mil', '500'])
      assert.ok(!asksPrice(text), text);
  });

  it('hears refusals, courtesies and doubts about robots', () => {
    for (const text of ["I'm not interested, thanks", 'não tenho interesse', 'no me interesa'])
      assert.ok(declines(text), text);
    for (const text of ['no', 'no thanks', 'not interested in the big one, but the small one'])
      assert.ok(!declines(text), text);
    for (const text of ['Hi!', 'Olá, boa tarde', 'muchas gracias', 'ok thanks']) assert.ok(isCourtesy(text), text);
    for (const text of ['hi, I need two rooms', 'Olavo']) assert.ok(!isCourtesy(text), text);
    for (const text of ['are you a bot?', 'você é um robô?', '¿eres una persona?']) assert.ok(asksIfRobot(text), text);
  });

  it('tells the three languages apart by their words, or says nothing', () => {
    assert.equal(languageOfWords('Hi, I would like to know the price'), 'en');
    assert.equal(languageOfWords('oi, bom dia, você tem apartamento?'), 'pt');
    assert.equal(languageOfWords('hola, buenos días, quisiera información'), 'es');
    for (const text of ['', '123', '👋', 'xyz']) assert.equal(languageOfWords(text), undefined);
  });
});

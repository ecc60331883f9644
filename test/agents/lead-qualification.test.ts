import assert from 'node:assert/strict';
import fc from 'fast-check';
import { leadQualification } from '../../src/agents/lead-qualification/lead-qualification.ts';
import { INITIAL } from '../../src/agents/lead-qualification/schemas.ts';
import type { HumanStretch } from '../../src/agents/define-agent.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { rehearse, type Rehearsal, type RehearsalOptions } from '../../src/testing.ts';

const NOON = '2026-06-02T12:00:00.000Z';
const HOTEL = [
  {
    id: 'rooms',
    text: { en: 'How many rooms?', pt: 'Quantos quartos?', es: '¿Cuántas habitaciones?' },
    kind: 'number',
  },
  { id: 'arrival', text: { en: 'When do you arrive?', pt: 'Quando você chega?', es: '¿Cuándo llega?' }, kind: 'date' },
  { id: 'email', text: { en: 'Your e-mail?', pt: 'O seu e-mail?', es: '¿Su correo?' }, kind: 'email' },
];
const start = (more: Partial<RehearsalOptions> = {}): Promise<Rehearsal> =>
  rehearse(leadQualification, {
    at: NOON,
    tenantName: 'Hotel Mar',
    config: { questions: HOTEL },
    unanswered: ['Hi!'],
    ...more,
  });
const lastOf = (lead: Rehearsal): string => lead.sent.at(-1)?.text ?? '';
const answers = (lead: Rehearsal): unknown => lead.run.state['answers'];

/** The first tick after a hand-back, with nothing that the customer is waiting for. */
function givenBack(
  state: unknown,
  { stretch, lastOutboundAt }: { stretch: HumanStretch; lastOutboundAt: string | null },
): Parameters<typeof leadQualification.tick>[0] {
  const untouched = () => assert.fail('read');
  return {
    config: leadQualification.config.parse({ questions: HOTEL }) as JsonObject,
    state: leadQualification.state.parse(state) as JsonObject,
    events: [],
    conversation: {
      ...{ id: 'rehearsal', owner: 'agent', closed: false, contact: null, timeZone: 'UTC' },
      ...{ lastInboundAt: null, lastOutboundAt, windowUntil: null, messages: untouched, media: untouched },
    },
    erp: null,
    tenant: { id: 'rehearsal', name: 'Hotel Mar', timeZone: 'UTC' },
    ...{ now: NOON, dueAt: NOON, tick: 1, why: 'due', pendingEffects: [], failedEffects: [] },
    humanStretch: stretch,
    signal: new AbortController().signal,
    log: { info: () => undefined, warn: () => undefined },
  };
}

describe('lead qualification', () => {
  it('says what it is, asks one question at a time and hands a summary over when all is answered', async () => {
    const lead = await start();
    assert.equal(lastOf(lead), "Hello! I'm the automated assistant of Hotel Mar.\nHow many rooms?");
    await lead.customer.says('two please');
    assert.equal(lastOf(lead), 'Thank you!\nWhen do you arrive?');
    await lead.customer.says('next friday');
    assert.equal(lastOf(lead), 'Thank you!\nYour e-mail?');
    await lead.customer.says('it is Ana@Example.com');
    assert.match(lastOf(lead), /that's all I need/);
    assert.deepEqual(answers(lead), { rooms: '2', arrival: '2026-06-05', email: 'ana@example.com' });
    assert.deepEqual([lead.run.status, lead.run.reason], ['COMPLETED', 'goal_reached']);
    assert.deepEqual(lead.done, [
      {
        kind: 'conversation.handOff',
        note: 'Lead qualified.\nAnswers:\n- How many rooms? 2\n- When do you arrive? 2026-06-05\n- Your e-mail? ana@example.com',
      },
    ]);
  });

  it('says what it is to a customer who wrote before the hello, held back for the night, had gone out', async () => {
    const lead = await start({ at: '2026-06-02T23:30:00.000Z', unanswered: [] });
    assert.deepEqual(lead.sent, []);
    await lead.customer.says('two rooms please');
    assert.equal(lastOf(lead), "Hello! I'm the automated assistant of Hotel Mar.\nWhen do you arrive?");
  });

  it('says its hello when a person gives the conversation back in which nobody has written', async () => {
    const stretch = { from: NOON, to: NOON, note: null, messages: [] };
    const greeted = { ...INITIAL, introduced: true, asked: 1 };
    const saidAfter = async (lastOutboundAt: string | null) => {
      const { effects } = await leadQualification.tick(givenBack(greeted, { stretch, lastOutboundAt }));
      return effects.map((effect) => effect.kind === 'message.send' && effect.text);
    };
    assert.deepEqual(await saidAfter(null), ["Hello! I'm the automated assistant of Hotel Mar.\nHow many rooms?"]);
    assert.deepEqual(await saidAfter(NOON), [], 'the customer has just been spoken to');
  });

  it('hears several answers in one burst and answers once', async () => {
    const lead = await start();
    await lead.customer.says('2', 'my email is ana@example.com');
    assert.equal(lead.sent.length, 2);
    assert.equal(lastOf(lead), 'Thank you!\nWhen do you arrive?');
    await lead.customer.says('24 December');
    assert.deepEqual(answers(lead), { rooms: '2', arrival: '2026-12-24', email: 'ana@example.com' });
  });

  it('takes the last word of somebody who corrects himself', async () => {
    const lead = await start();
    await lead.customer.says('2', 'no wait, 3');
    assert.deepEqual(answers(lead), { rooms: '3' });
  });

  it('asks again once when unclear, then takes it as said', async () => {
    const lead = await start();
    await lead.customer.says('a few');
    assert.equal(lastOf(lead), "Sorry, I didn't catch that. Could you write it as one number?\nHow many rooms?");
    await lead.customer.says('as many as you have');
    assert.deepEqual(answers(lead), { rooms: 'as many as you have' });
    assert.equal(lastOf(lead), 'Thank you!\nWhen do you arrive?');
  });

  for (const [language, offTopic, question, time, name] of [
    [
      'en',
      'I want whitening',
      /^Sorry, I didn't catch when.*\nWhen would you need it\?$/,
      'some time in March',
      /name/,
    ],
    [
      'pt',
      'Quero clareamento',
      /^Desculpe, não entendi para quando.*\nPara quando você precisa\?$/,
      'mês que vem',
      /nome/,
    ],
    [
      'es',
      'Quiero blanqueamiento',
      /^Perdón, no entendí para cuándo.*\n¿Para cuándo lo necesita\?$/,
      'lo antes posible',
      /llama/,
    ],
  ] as const)
    it(`asks again, once, when what came says nothing of when (${language})`, async () => {
      for (const second of [time, offTopic]) {
        const lead = await start({ config: { language }, unanswered: ['???'] });
        await lead.customer.says('dentista');
        await lead.customer.says(offTopic);
        assert.match(lastOf(lead), question);
        await lead.customer.says(second);
        assert.match(lastOf(lead), name);
        assert.deepEqual(answers(lead), { need: 'dentista', timing: second });
        assert.deepEqual(lead.run.state['unclear'], second === time ? [] : ['timing']);
      }
    });

  it('cannot quote a price, says so, tells a person, and asks on', async () => {
    const lead = await start({ unanswered: ['Hi, how much is it?'] });
    assert.match(lastOf(lead), /automated assistant of Hotel Mar.*\n.*can't quote prices.*\nHow many rooms\?$/);
    assert.deepEqual(lead.done, [{ kind: 'note.add', text: 'The customer asked: Hi, how much is it?' }]);
  });

  it('passes on what it cannot answer and takes no question for an answer', async () => {
    const lead = await start({ config: { questions: [{ id: 'name', text: 'What is your name?' }] } });
    await lead.customer.says('Do you have a pool?');
    assert.deepEqual(answers(lead), {});
    assert.match(lastOf(lead), /passing it on to the team.*\nWhat is your name\?$/);
    await lead.customer.says('Ana');
    assert.match(
      lead.done.at(-1)?.kind === 'conversation.handOff' ? JSON.stringify(lead.done.at(-1)) : '',
      /The customer asked: Do you have a pool\?/,
    );
  });

  it('does not ask what the customer has begun by saying', async () => {
    const first = async (text: string): Promise<unknown> => answers(await start({ config: {}, unanswered: [text] }));
    const wish = 'Hi, I am looking for a flat near the beach';
    assert.deepEqual(await first(wish), { need: wish });
    for (const text of [
      'Hi!',
      'Hi, how much is it?',
      'hello, I have a question',
      'Good morning, do you have rooms free on Friday?',
    ])
      assert.deepEqual(await first(text), {}, text);
  });

  it('says that it is a robot when asked', async () => {
    const lead = await start();
    await lead.customer.says('are you a robot?');
    assert.match(lastOf(lead), /^Yes, I'm an automated assistant of Hotel Mar/);
    assert.equal(lead.run.status, 'IN_PROGRESS');
  });

  for (const text of [
    'Can I talk to a person please',
    'quero falar com um atendente',
    '¿Puedo hablar con alguien?',
    'human',
  ])
    it(`hands off when asked for a person: ${text}`, async () => {
      const lead = await start({ config: { questions: HOTEL, team: 'sales' } });
      await lead.customer.says('2');
      await lead.customer.says(text);
      assert.deepEqual([lead.run.status, lead.run.reason], ['COMPLETED', 'handed_off']);
      assert.deepEqual(lead.done, [
        {
          kind: 'conversation.handOff',
          team: 'sales',
          note: 'The customer asks for a person.\nAnswers:\n- How many rooms? 2\nNot answered: When do you arrive?',
        },
      ]);
    });

  it('follows up after silence, with growing gaps, three times, then gives up', async () => {
    const lead = await start();
    await lead.advance('7d');
    assert.deepEqual(
      lead.sent.map(({ at }) => at),
      [NOON, '2026-06-02T18:00:00.000Z', '2026-06-03T08:00:00.000Z', '2026-06-04T08:00:00.000Z'],
    );
    assert.match(lead.sent[3]?.text ?? '', /my last reminder\.\nHow many rooms\?$/);
    assert.deepEqual(
      [lead.run.status, lead.run.reason, lead.run.comment],
      ['COMPLETED', 'gave_up', 'no answer after 3 follow-ups'],
    );
    assert.deepEqual(lead.done, []);
  });

  it('begins to count follow-ups anew when the customer writes', async () => {
    const lead = await start();
    await lead.advance('6h');
    assert.equal(lead.run.state['followUps'], 1);
    await lead.customer.says('2');
    assert.equal(lead.run.state['followUps'], 0);
    assert.equal(lead.run.nextRunAt, '2026-06-03T00:00:02.000Z');
  });

  it('gives up when a follow-up may not be sent outside the 24-hour window', async () => {
    const lead = await start({ hasServiceWindow: true });
    await lead.advance('10d');
    assert.deepEqual(
      lead.refused.map(({ reason }) => reason),
      ['window_closed'],
    );
    assert.deepEqual([lead.run.reason, lead.run.comment], ['gave_up', 'a message could not be sent: window_closed']);
  });

  it('sends the template instead, where there is one', async () => {
    const followUpTemplate = { name: 'still_there', language: 'en' };
    const lead = await start({ hasServiceWindow: true, config: { questions: HOTEL, followUpTemplate } });
    await lead.advance('10d');
    assert.equal(lead.sent.at(-1)?.template?.name, 'still_there');
  });

  it('says once that it only reads text, then goes on in silence', async () => {
    const lead = await start();
    const voice = { kind: 'media', media: 'voice', mediaId: '1' } as const;
    await lead.customer.sends(voice);
    assert.equal(lastOf(lead), "I'm sorry, I can only read text messages.\nHow many rooms?");
    await lead.customer.sends(voice);
    assert.equal(lead.sent.length, 2);
    await lead.customer.says('2');
    assert.deepEqual(answers(lead), { rooms: '2' });
  });

  it('ends when the customer opts out, and says nothing more', async () => {
    const lead = await start();
    await lead.customer.says('STOP');
    await lead.advance('30d');
    assert.deepEqual([lead.run.status, lead.run.reason, lead.sent.length], ['EXITED_ON_INBOUND', 'opted_out', 1]);
  });

  it('says goodbye to somebody who is not interested', async () => {
    const lead = await start();
    await lead.customer.says('Sorry, not interested anymore');
    assert.deepEqual([lead.run.reason, lead.run.comment], ['gave_up', 'the customer is not interested']);
  });

  it('speaks first when attached before the customer wrote, at a humane hour', async () => {
    const lead = await start({
      unanswered: [],
      at: '2026-06-02T03:00:00.000Z',
      contact: { timeZone: 'America/Sao_Paulo', locale: 'pt_BR' },
    });
    assert.equal(lead.sent.length, 0);
    await lead.advance('1d');
    assert.equal(lead.sent[0]?.at, '2026-06-02T11:00:00.000Z');
    assert.equal(lead.sent[0].text, 'Olá! Sou o assistente automático de Hotel Mar.\nQuantos quartos?');
  });

  it('chooses the language by locale, then by the words, then by configuration', async () => {
    const spoken = async (more: Partial<RehearsalOptions>): Promise<string> => lastOf(await start(more)).slice(0, 5);
    assert.equal(await spoken({ unanswered: ['hello'], contact: { locale: 'es-MX' } }), '¡Hola');
    assert.equal(await spoken({ unanswered: ['Oi, boa tarde, quanto custa?'] }), 'Olá! ');
    assert.equal(await spoken({ unanswered: ['Buenas tardes, quiero una habitación'] }), '¡Hola');
    assert.equal(await spoken({ unanswered: ['👋'], config: { questions: HOTEL, language: 'pt' } }), 'Olá! ');
    assert.equal(await spoken({ unanswered: ['👋'] }), 'Hello');
  });

  it('never says two things at once, and always ends or sleeps, whatever the customer writes', async () => {
    const words = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'hi',
        '2',
        'how much is it?',
        'no',
        'yes',
        'tomorrow',
        'ana@example.com',
        '?',
        'a few',
        'quanto custa',
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(words, { minLength: 1, maxLength: 3 }), { maxLength: 6 }), async (bursts) => {
        const lead = await start();
        for (const burst of bursts) {
          const [before, live] = [lead.sent.length, lead.run.status === 'IN_PROGRESS'];
          await lead.customer.says(...burst);
          assert.ok(lead.sent.length <= before + (live ? 1 : 0));
          await lead.advance('1m');
        }
        await lead.advance('30d');
        assert.notEqual(lead.run.status, 'IN_PROGRESS');
      }),
      { numRuns: 50 },
    );
  });
});

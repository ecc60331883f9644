import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { inPortuguese, SENTENCES } from '../../src/console/words/told/portuguese.ts';
import { readersOf } from '../../src/console/words/told/reader.ts';
import { sayComment, sayHeld, sayIn, teach } from '../../src/console/words/say.ts';
import { problemsOf } from '../../src/domain/schemas/issues.ts';
import { saidIn } from '../support/said-in-source.ts';
import { unread } from '../support/unread.ts';

const SPEAKING = ['http', 'domain', 'agents', 'workflows', 'activities', 'channels', 'erp', 'client', 'intake'];
/** They speak to whoever starts a server, reads the API's pages or looks at Temporal's: in English. */
const NOT_TO_READERS =
  /simulated|conformance|openapi|contract|phrases|demo.business|-view\.ts|config\.ts|signing-secret|verify\.ts|\/checks\.ts|http.(?:console|pages|decision-page|schema-words)|routes.docs/;
/** Parts of sentences that are made as one elsewhere, what goes to customers and suppliers, and what Temporal and the log are told. */
const NOT_SENTENCES = [
  /^tenants\.x7\.channels of attache\.config\.json$/,
  /^the conversation is held by a human from now on/,
  /^a run that a rule is about to attach/,
  /^must x7 at (?:least|most)|^one of x7$|^snoozed by $|^is not a public address$|^without saying why$/,
  /^Your order x7|^Our invoice x7/,
  /^(?:tick x7: x7|nobody answered|not before|attempt x7|status x7|tell what was (?:asked|taken back))$/,
  /^another responder|^a file cannot be read now|^the fan-out was cancelled|^x7 is no channel|^must be an instant$/,
];
/** What the API's own pages say of each route, and the page behind a signed link. */
const isOfApiPages = (path: string, sentence: string) => path.startsWith('src/http/routes/') && /^[A-Z]/.test(sentence);

function filesIn(folder: string): readonly string[] {
  return readdirSync(`src/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `src/${folder}/${name}`);
}

describe('the sentences of the server, in Portuguese', () => {
  it('are all there: each that the source says to people has its pair in words/told', () => {
    const said = SPEAKING.flatMap(filesIn)
      .filter((path) => !NOT_TO_READERS.test(path))
      .flatMap(saidIn)
      .filter(({ path, sentence }) => !isOfApiPages(path, sentence))
      .filter(({ sentence }) => !NOT_SENTENCES.some((one) => one.test(sentence)));
    assert.deepEqual(unread(said.map(({ sentence }) => sentence)), []);
    assert.ok(said.length > 400, `${said.length} sentences were found`);
  });

  it('are filled in with what the English holds, and nothing else', () => {
    const namesIn = (text: string) => [...text.matchAll(/\{[@#]?(\w+)\}/g)].map(([, name]) => name).sort();
    for (const [english, portuguese] of SENTENCES) assert.deepEqual(namesIn(portuguese), namesIn(english), english);
    const keys = SENTENCES.map(([english]) => english);
    assert.deepEqual(
      keys.filter((key, n) => keys.indexOf(key) !== n),
      [],
    );
  });

  it('are there for whatever is wrong with a field', () => {
    const schema = z.strictObject({
      ...{ text: z.string().min(3), long: z.string().max(2), count: z.int(), least: z.number().min(1) },
      ...{
        most: z.number().max(1),
        yes: z.boolean(),
        list: z.array(z.string()).min(2),
        few: z.array(z.string()).max(1),
      },
      ...{ one: z.enum(['a', 'b']), address: z.url(), mail: z.email(), at: z.iso.datetime() },
      ...{
        day: z.iso.date(),
        by: z.number().multipleOf(5),
        either: z.union([z.string(), z.number()]),
        gone: z.string(),
      },
      ...{ inside: z.object({}), names: z.record(z.string().regex(/^a/), z.string()) },
    });
    const given = {
      ...{
        text: 'a',
        long: 'abc',
        count: 1.5,
        least: 0,
        most: 2,
        yes: 1,
        list: [],
        few: ['a', 'b'],
        one: 'c',
      },
      ...{ address: 'x', mail: 'x', at: 'x', day: 'x', by: 3, either: true, inside: 1, names: { b: 'c' }, more: 1 },
    };
    const { error } = schema.safeParse(given);
    assert.ok(error);
    const problems = problemsOf(error);
    assert.equal(problems.length, Object.keys(given).length + 1);
    assert.deepEqual(unread(problems.map(({ message }) => message)), []);
  });

  it('are there for whatever holds an effect back', () => {
    const places = ['activities/perform', 'activities/permit', 'activities/effects/message-send', 'domain/deliveries'];
    const inRuns = ['run-effects', 'run-resends', 'told-run', 'run-handlers'].map((name) => `workflows/${name}`);
    const reasons = [...places, ...inRuns, 'activities/effects/investigation-open', 'channels/channel-error']
      .map((name) => readFileSync(`src/${name}.ts`, 'utf8'))
      .flatMap((text) => [
        ...text.matchAll(/(?:reason: |parked\(|objection\(|Effects\(data, |(?:SHUT|ARRIVED) = |^ {2}\| )'(\w+)'/gm),
      ]);
    const english = reasons.map(([, reason = '']) => reason);
    assert.ok(english.length > 20);
    assert.deepEqual(
      english.filter((reason) => sayHeld(sayIn('pt'), reason) === sayHeld(sayIn('en'), reason)),
      [],
    );
    assert.equal(sayHeld(sayIn('pt'), 'permanent: 131026'), 'recusado pelo provedor (131026)');
  });
});

describe('a sentence of the server', () => {
  it('is read with what it holds, its figures as Portuguese writes them, and the sentences within it', () => {
    assert.equal(
      inPortuguese(
        '€1,234.50 of invoice F-7 are 12 days past due, and payment promised for 2026-11-02 did not come. Send reminder 3 for invoice F-7.',
      ),
      '€1.234,50 da fatura F-7 estão vencidos há 12 dias, e o pagamento prometido para 2026-11-02 não veio. Enviar o lembrete 3 da fatura F-7.',
    );
    assert.equal(
      inPortuguese(
        'order failed: the ERP cannot be reached (ECONNREFUSED): nothing was done. undone: hold. nothing is left of it',
      ),
      'order falhou: o ERP não pode ser alcançado (ECONNREFUSED): nada foi feito. desfeito: hold. nada restou',
    );
    assert.equal(
      inPortuguese('it is rejected: office/ana rejected it at 2026-11-30T12:00:00Z'),
      'está rejeitada: office/ana rejeitou em 2026-11-30T12:00:00Z',
    );
    assert.equal(
      inPortuguese('config.every: must be text; limit: is missing'),
      'config.every: deve ser texto; limit: está faltando',
    );
  });

  it('stays as it came where it is nobody’s of ours, and what others said within it does', () => {
    for (const text of ['Ana will call them', 'Cannot read properties of undefined', '', 'must', 'a: b. c; d'])
      assert.equal(inPortuguese(text), undefined, text);
    assert.equal(
      inPortuguese('the ERP refused: the period is closed (HTTP 409)'),
      'o ERP recusou: the period is closed (HTTP 409)',
    );
  });

  it('is soon given up where our words come again and again and do not fit in the end', () => {
    const { one } = readersOf([['{a}, {b}, {c}, {d}, {e}, {f}!', '{a}{b}{c}{d}{e}{f}']]);
    assert.equal(one(`${'1, '.repeat(300)}!?`), undefined);
    assert.equal(one('1, 2, 3, 4, 5, 6, 7!'), '123456, 7');
  });

  it('is said in the language that was taught it, but a person’s words are not touched', () => {
    assert.equal(sayIn('pt').told('looks again'), 'looks again');
    teach('pt', inPortuguese);
    assert.deepEqual(
      (['en', 'pt'] as const).map((one) => sayIn(one).told('looks again')),
      ['looks again', 'olha de novo'],
    );
    assert.equal(sayComment(sayIn('pt'), 'system', 'the conversation is closed'), 'a conversa está fechada');
    assert.equal(sayComment(sayIn('pt'), 'crm/ana', 'the conversation is closed'), 'the conversation is closed');
  });
});

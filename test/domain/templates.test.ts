import assert from 'node:assert/strict';
import { problemsOf } from '../../src/domain/schemas/issues.ts';
import { TemplateMessage } from '../../src/domain/schemas/templates.ts';

describe('a template', () => {
  const problems = (fields: object) => {
    const { error } = TemplateMessage.safeParse({ name: 'visit', language: 'pt_BR', ...fields });
    return error === undefined ? {} : Object.fromEntries(problemsOf(error).map(({ path, message }) => [path, message]));
  };

  it('needs no more than its name and language', () => {
    assert.deepEqual(TemplateMessage.parse({ name: 'visit', language: 'en' }).parameters, []);
  });

  it('is refused by the very field that is wrong', () => {
    const wrong: [object, string, RegExp][] = [
      [{ language: 'Portuguese (Brazil)' }, 'language', /such as pt_BR/],
      [{ header: { kind: 'image', link: 'http://example.com/a.png' } }, 'header.link', /https:/],
      [{ header: { kind: 'song', link: 'x' } }, 'header.kind', /must be/],
      [{ header: { kind: 'text', text: '' } }, 'header.text', /at least 1/],
      [{ named: { 'First Name': 'Ana' } }, 'named.First Name', /lower-case/],
      [{ parameters: ['Ana'], named: { name: 'Ana' } }, 'named', /names or numbers/],
      [{ buttons: [{ kind: 'url', index: 12, suffix: 'x' }] }, 'buttons.0.index', /at most 9/],
      [{ buttons: [{ kind: 'reply', index: 0 }] }, 'buttons.0.payload', /missing/],
      [
        {
          buttons: [
            { kind: 'url', index: 1, suffix: 'a' },
            { kind: 'reply', index: 1, payload: 'b' },
          ],
        },
        'buttons.1.index',
        /button 1 a second time/,
      ],
    ];
    for (const [fields, path, message] of wrong)
      assert.match(problems(fields)[path] ?? '', message, JSON.stringify(problems(fields)));
  });
});

/** What the documents name is there: files, commands, and tests by their words. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const names = (folder: string) => readdirSync(join(ROOT, folder));

const DOCUMENTS = [
  ...['README.md', 'CONTRIBUTING.md', 'AGENTS.md'],
  ...['docs/design', 'docs/guide'].flatMap((folder) => names(folder).map((name) => `${folder}/${name}`)),
];
/** `src/desk/runs.ts` in full, or `desk/runs` for what is under `test` or `src`. */
const FILE = new RegExp(
  `\`((?:src|test|docs|bench|examples|scripts|deploy|${names('test').join('|')})/[\\w./-]+)\``,
  'g',
);
const LINK = /\]\((?!https?:)([^)#\s]+)/g;
const COMMAND = /npm run ([\w:-]+)/g;

const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, what = '']) => what);
const isThere = (path: string) =>
  ['', 'test/', 'src/'].some((from) =>
    ['', '.ts', '.test.ts'].some((end) => existsSync(join(ROOT, from + path + end))),
  );

describe('the documents', () => {
  for (const document of DOCUMENTS)
    it(`name only files and commands that there are: ${document}`, () => {
      const text = read(document);
      const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
      const named = [...found(text, FILE), ...found(text, LINK).map((link) => join(dirname(document), link))];
      const astray = named.filter((path) => !isThere(path));
      const unknown = found(text, COMMAND).filter((script) => scripts[script] === undefined);
      assert.deepEqual([...astray, ...unknown], []);
    });

  it('quote the tests of docs/design/field-cases.md as they are', () => {
    const astray: string[] = [];
    for (const row of read('docs/design/field-cases.md').split('\n')) {
      let test = '';
      for (const [, path, quoted] of row.matchAll(/`((?!src\/)[a-z-]+(?:\/[\w.-]+)+)`|“([^”]+)”/g)) {
        if (path !== undefined) test = read(`test/${path}.test.ts`).replaceAll(String.raw`\'`, `'`);
        else if (quoted?.split('…').some((words) => !test.includes(words.trim()))) astray.push(quoted);
      }
    }
    assert.deepEqual(astray, []);
  });
});

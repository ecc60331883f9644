import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { configFileSchema } from '../../src/config/config-schema.ts';
import { Environment, withoutEmpty } from '../../src/config/environment.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** `NAME=value` of every line that is no comment. */
const example = new Map(
  read('.env.example')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const),
);
const table = new Map(
  [...read('docs/guide/configuration.md').matchAll(/^\| `([A-Z_]+)` +\| (.*?) +\|/gm)].map(
    ([, name = '', value = '']) => [name, value],
  ),
);
const known = Object.keys(Environment.shape).sort();

describe('the list of variables', () => {
  it('is the same in the code, in the guide and in .env.example', () => {
    assert.deepEqual([...table.keys()].sort(), known);
    assert.deepEqual([...example.keys()].sort(), known);
  });

  it('tells the defaults the code has', () => {
    for (const [name, value] of Object.entries(Environment.parse({}))) {
      if (value === undefined || value === '') continue;
      assert.equal(table.get(name), `\`${String(value)}\``, name);
      assert.equal(example.get(name), String(value), name);
    }
  });

  it('makes, copied as it is, an environment that nothing is wrong with', () => {
    assert.equal(Environment.safeParse(withoutEmpty(Object.fromEntries(example))).success, true);
  });
});

describe('docs/attache.config.schema.json', () => {
  it('is what the code accepts (npm run build writes it)', () => {
    assert.equal(read('docs/attache.config.schema.json'), configFileSchema());
  });
});

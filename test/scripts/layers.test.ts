import assert from 'node:assert/strict';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { ENTRIES, FOLDERS, importRules, LAYERS, PACKAGES } from '../../eslint.layers.js';

const linter = new Linter();
const config = [
  {
    files: ['**/*.ts'],
    languageOptions: { parser: tseslint.parser },
    plugins: { '@typescript-eslint': tseslint.plugin },
  },
  ...importRules,
] as Linter.Config[];

function refuses(file: string, code: string): boolean {
  const messages = linter.verify(code, config, { filename: file });
  assert.ok(
    messages.every((message) => message.ruleId === '@typescript-eslint/no-restricted-imports'),
    JSON.stringify(messages),
  );
  return messages.length > 0;
}

const value = (from: string) => `import { x } from '${from}'; x();`;
const type = (from: string) => `import type { X } from '${from}'; export const y: X = 1;`;

describe('import rules', () => {
  for (const layer of LAYERS) {
    const where = layer.files?.[0]?.replace('/**', '').replace('/*.ts', '') ?? `src/${layer.folder}`;
    const [near, deep] = [`${where}/probe.ts`, `${where}/deep/probe.ts`];
    const up = where === 'src/domain/schemas' ? '../../' : '../';
    const isPlainDomain = where === 'src/domain';

    it(`let ${where} import only the folders its row names`, () => {
      for (const folder of FOLDERS.filter((other) => other !== layer.folder)) {
        const allowed = layer.may.includes(folder);
        assert.equal(refuses(near, value(`${up}${folder}/thing.ts`)), !allowed, `${where} → ${folder}`);
        const typesAllowed = allowed || (layer.types ?? []).includes(folder);
        assert.equal(refuses(near, type(`${up}${folder}/thing.ts`)), !typesAllowed, `${where} → type of ${folder}`);
        if (!isPlainDomain)
          assert.equal(refuses(deep, value(`../${up}${folder}/thing.ts`)), !allowed, `${where}/deep → ${folder}`);
      }
      for (const file of layer.may.filter((path) => path.includes('/')))
        assert.equal(refuses(near, value(`${up}${file}`)), false, `${where} → ${file}`);
    });

    it(`let ${where} import only the packages its row names`, () => {
      for (const name of PACKAGES) {
        const allowed = layer.packages.includes(name);
        assert.equal(refuses(near, value(name)), !allowed, `${where} → ${name}`);
        assert.equal(refuses(near, value(`${name}/sub`)), !allowed, `${where} → ${name}/sub`);
      }
      assert.equal(refuses(near, value('node:fs')), layer.node !== true, `${where} → node:fs`);
    });

    it(`let ${where} import no entry`, () => {
      for (const entry of ENTRIES.filter((name) => !layer.may.includes(`${name}.ts`)))
        assert.equal(refuses(near, value(`${up}${entry}.ts`)), true, `${where} → ${entry}.ts`);
      assert.equal(refuses(near, value(`${up}config.ts`)), true, `${where} → config.ts`);
    });
  }

  it('keep schemas out of the plain domain and the workflows, except for their types', () => {
    assert.equal(refuses('src/domain/x.ts', value('./schemas/runs.ts')), true);
    assert.equal(refuses('src/domain/x.ts', type('./schemas/runs.ts')), false);
    assert.equal(refuses('src/workflows/x.ts', value('../domain/schemas/runs.ts')), true);
    assert.equal(refuses('src/workflows/x.ts', type('../domain/schemas/runs.ts')), false);
    assert.equal(refuses('src/workflows/x.ts', value('../domain/ids.ts')), false);
    assert.equal(refuses('src/domain/x.ts', value('zod')), true);
    assert.equal(refuses('src/domain/x.ts', type('zod')), false);
  });

  it('keep the words of one vendor out of another vendor’s folder', () => {
    assert.equal(refuses('src/channels/whatsapp/send.ts', value('../chatwoot/send.ts')), true);
    assert.equal(refuses('src/channels/whatsapp/send.ts', value('./parse.ts')), false);
    assert.equal(refuses('src/channels/registry.ts', value('./whatsapp/channel.ts')), false);
  });
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { ENTRIES, FOLDERS, importRules, LAYERS, type Layer, PACKAGES } from '../../eslint.layers.js';

const linter = new Linter();
const config = [
  {
    files: ['**/*.ts'],
    languageOptions: { parser: tseslint.parser },
    plugins: { '@typescript-eslint': tseslint.plugin },
  },
  ...importRules,
] as Linter.Config[];

/** Which of these imports the rules refuse in that file: one pass for all, since a pass is slow. */
function refused(file: string, imports: readonly string[]): string[] {
  const messages = linter.verify(imports.join('\n'), config, { filename: file });
  for (const { ruleId, message } of messages) assert.equal(ruleId, '@typescript-eslint/no-restricted-imports', message);
  const lines = new Set(messages.map(({ line }) => line));
  return imports.filter((_, index) => lines.has(index + 1));
}

const value = (from: string): string => `import '${from}';`;
const type = (from: string): string => `import type {} from '${from}';`;
const whereOf = (layer: Layer): string => layer.files?.[0]?.replace(/\/\*+(\.ts)?$/, '') ?? `src/${layer.folder}`;

const SOURCES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => posix.join('src', path));

/** Files of ours that this one imports, values or types. */
function importsOf(file: string): string[] {
  const found = readFileSync(file, 'utf8').matchAll(/\bfrom '(\.[^']+)'/g);
  return [...found].map(([, path = '']) => posix.join(posix.dirname(file), path));
}

describe('import rules', () => {
  for (const layer of LAYERS) {
    const where = whereOf(layer);
    const up = where === 'src/domain/schemas' ? '../../' : '../';
    const others = FOLDERS.filter((folder) => folder !== layer.folder);
    const files = layer.may.filter((path) => path.includes('/'));

    it(`let ${where} import only what its row names`, () => {
      const allowed = [
        ...layer.may
          .filter((path) => !path.includes('/') && !path.endsWith('.ts'))
          .map((folder) => value(`${up}${folder}/x.ts`)),
        ...files.map((path) => value(`${up}${path}`)),
        ...(layer.types ?? []).filter((path) => FOLDERS.includes(path)).map((folder) => type(`${up}${folder}/x.ts`)),
        ...layer.packages.flatMap((name) => [value(name), value(`${name}/sub`)]),
        ...(layer.typePackages ?? []).map(type),
        ...(layer.node === true ? [value('node:fs')] : []),
        ...(Array.isArray(layer.node) ? layer.node.map((name) => value(`node:${name}`)) : []),
      ];
      assert.deepEqual(refused(`${where}/probe.ts`, allowed), []);

      const forbidden = [
        ...others.filter((folder) => !layer.may.includes(folder)).map((folder) => value(`${up}${folder}/x.ts`)),
        ...others
          .filter((folder) => !layer.may.includes(folder) && !(layer.types ?? []).includes(folder))
          .map((folder) => type(`${up}${folder}/x.ts`)),
        ...ENTRIES.filter((entry) => !layer.may.includes(`${entry}.ts`)).map((entry) => value(`${up}${entry}.ts`)),
        value(`${up}config.ts`),
        ...PACKAGES.filter((name) => !layer.packages.includes(name)).flatMap((name) => [
          value(name),
          value(`${name}/sub`),
        ]),
        ...(layer.node === true ? [] : [value('node:fs')]),
      ];
      assert.deepEqual(refused(`${where}/probe.ts`, forbidden), forbidden);
    });

    it(`hold in folders below ${where} too`, () => {
      if (where === 'src/domain') return; // Below it lies src/domain/schemas, with a row of its own.
      const forbidden = others
        .filter((folder) => !layer.may.includes(folder))
        .map((folder) => value(`../${up}${folder}/x.ts`));
      assert.deepEqual(refused(`${where}/deep/probe.ts`, forbidden), forbidden);
    });
  }

  it('keep schemas out of the plain domain and the workflows, except for their types', () => {
    const [schemas, ids] = ['../domain/schemas/runs.ts', '../domain/ids.ts'];
    const inWorkflows = [value(schemas), type(schemas), value(ids)];
    assert.deepEqual(refused('src/workflows/x.ts', inWorkflows), [value(schemas)]);
    const inDomain = [value('./schemas/runs.ts'), type('./schemas/runs.ts'), value('zod'), type('zod')];
    assert.deepEqual(refused('src/domain/x.ts', inDomain), [value('./schemas/runs.ts'), value('zod')]);
  });

  it('keep the words of one vendor out of another vendor’s folder', () => {
    const imports = [value('../chatwoot/send.ts'), value('./parse.ts'), value('../channel.ts')];
    assert.deepEqual(refused('src/channels/whatsapp/send.ts', imports), [value('../chatwoot/send.ts')]);
    assert.deepEqual(refused('src/channels/registry.ts', [value('./whatsapp/channel.ts')]), []);
  });

  it('let no file import one that imports it, not even for a type', () => {
    const imports = new Map(SOURCES.map((file) => [file, importsOf(file)]));
    // What imports nothing that is left, or is imported by nothing that is left, lies on no circle.
    for (let before = Infinity; imports.size < before;) {
      before = imports.size;
      for (const [file, its] of imports) if (!its.some((path) => imports.has(path))) imports.delete(file);
      const imported = new Set([...imports.values()].flat());
      for (const file of imports.keys()) if (!imported.has(file)) imports.delete(file);
    }
    assert.deepEqual([...imports.keys()], []);
  });
});

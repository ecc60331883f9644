import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { importRules } from './eslint.layers.js';

const PRINTS = ['src/cli.ts', 'src/cli/**', 'bench/**', 'test/chaos/**', 'examples/**', 'scripts/**', 'bin/**'];

export default defineConfig(
  { ignores: ['dist/', 'artifacts/', '.attache/', 'node_modules/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // Ports are asynchronous whether or not this implementation waits for anything.
      '@typescript-eslint/require-await': 'off',
    },
  },
  { files: PRINTS, rules: { 'no-console': 'off' } },
  {
    files: ['src/**'],
    ignores: ['src/config.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'The environment is read in src/config.ts only.' },
      ],
    },
  },
  {
    // Webpack bundles a dynamic import() of workflow code, and the bundle then kills the worker when it is loaded.
    files: ['src/workflows/**'],
    rules: { 'no-restricted-syntax': ['error', 'ImportExpression'] },
  },
  importRules,
  { files: ['**/*.js'], extends: [tseslint.configs.disableTypeChecked] },
);

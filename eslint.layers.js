/**
 * Who may import whom (docs/design/layers.md), as data. `eslint.config.js` turns each row into one rule;
 * `test/scripts/layers.test.ts` tries every forbidden arrow. Package names are listed one by one: a brace glob in
 * no-restricted-imports matches nothing and says nothing.
 */
import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));
/** Every package of ours: a new one is forbidden everywhere until a row below names it. */
export const PACKAGES = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)];

export const FOLDERS = [
  'config',
  'domain',
  'machine',
  'workflows',
  'activities',
  'agents',
  'channels',
  'desk',
  'erp',
  'temporal',
  'intake',
  'outbox',
  'processes',
  'client',
  'http',
  'console',
  'telemetry',
  'cli',
  'testing',
];
/** They wire things and are imported by nobody below; `config.ts` gives its type to whoever is handed a part of it. */
export const ENTRIES = ['worker', 'client', 'server', 'cli', 'dev', 'doctor', 'index', 'replay', 'testing'];

const TEMPORAL = ['@temporalio/client', '@temporalio/common', '@temporalio/worker', '@temporalio/envconfig'];

/**
 * `may`: folders (or single files of them) whose values may be imported; `types`: only their types;
 * `packages`: what of node_modules; `node`: whether Node's own modules, or which;
 * `apart`: folders inside that may not import each other.
 */
export const LAYERS = [
  {
    folder: 'domain',
    files: ['src/domain/*.ts'],
    may: [],
    types: ['./schemas/'],
    packages: ['temporal-polyfill'],
    typePackages: ['zod'],
    node: false,
  },
  { folder: 'domain', files: ['src/domain/schemas/**'], may: [], packages: ['zod'], node: false },
  { folder: 'machine', may: ['domain'], packages: [], node: true },
  {
    folder: 'workflows',
    may: ['domain', 'temporal/search-attributes.ts', 'temporal/task-queues.ts'],
    types: ['activities', 'domain/schemas'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
    node: false,
  },
  {
    folder: 'agents',
    may: ['domain'],
    types: ['erp'],
    packages: ['zod', 'temporal-polyfill'],
    node: ['async_hooks'],
  },
  {
    folder: 'channels',
    may: ['domain'],
    packages: ['zod', 'libphonenumber-js', 'standardwebhooks'],
    apart: ['whatsapp', 'chatwoot', 'generic', 'simulated'],
    node: true,
  },
  {
    folder: 'desk',
    may: ['domain', 'machine/held-file.ts'],
    packages: ['zod', 'drizzle-orm', '@electric-sql/pglite', 'postgres'],
    node: true,
  },
  { folder: 'erp', may: ['domain'], packages: ['zod', 'drizzle-orm'], node: true },
  {
    folder: 'activities',
    may: [
      'domain',
      'desk',
      'channels',
      'agents',
      'erp',
      'workflows/messages.ts',
      'workflows/activity-types.ts',
      'workflows/investigation-types.ts',
      'workflows/webhook-delivery-types.ts',
      'workflows/fan-out-types.ts',
      'client.ts',
    ],
    types: ['telemetry', 'workflows'],
    packages: [
      'zod',
      'date-holidays',
      'temporal-polyfill',
      '@temporalio/activity',
      '@temporalio/client',
      '@temporalio/common',
    ],
    node: true,
  },
  {
    folder: 'temporal',
    may: ['domain', 'machine'],
    types: ['config.ts', 'config', 'telemetry'],
    packages: TEMPORAL,
    node: true,
  },
  {
    folder: 'intake',
    may: [
      'domain',
      'desk',
      'client/rpc.ts',
      'client/tell.ts',
      'workflows/messages.ts',
      'workflows/fan-out-types.ts',
      'workflows/channel-poll-types.ts',
      'temporal/search-attributes.ts',
      'temporal/task-queues.ts',
    ],
    types: ['agents', 'workflows', 'telemetry', 'client.ts', 'client'],
    packages: ['@temporalio/client'],
    node: ['timers/promises'],
  },
  {
    folder: 'outbox',
    may: ['domain', 'desk', 'workflows/webhook-delivery-types.ts', 'temporal/task-queues.ts'],
    types: ['workflows'],
    packages: ['@temporalio/client'],
    node: ['timers/promises'],
  },
  {
    folder: 'http',
    may: ['domain', 'channels', 'desk', 'workflows/messages.ts', 'client.ts', 'client'],
    types: ['workflows', 'config.ts', 'config', 'telemetry', 'agents', 'intake'],
    packages: ['hono', 'zod'],
    node: true,
  },
  {
    folder: 'client',
    may: [
      'domain',
      'workflows/messages.ts',
      'workflows/investigation-messages.ts',
      'temporal/search-attributes.ts',
      'temporal/task-queues.ts',
    ],
    types: ['workflows'],
    packages: ['@temporalio/client', '@temporalio/common'],
    node: false,
  },
  {
    folder: 'config',
    may: ['domain', 'channels', 'erp'],
    packages: ['zod', '@temporalio/envconfig'],
    typePackages: ['@temporalio/worker'],
    node: true,
  },
  {
    // Built for the browser: of ours it runs the closed sets of names alone.
    folder: 'console',
    may: ['domain/statuses.ts', 'domain/webhooks.ts', 'domain/investigations.ts'],
    types: ['domain', 'desk', 'http'],
    packages: ['react', 'react-dom', '@tanstack/react-query', '@tanstack/react-virtual', 'vite'],
    node: false,
  },
  {
    folder: 'telemetry',
    may: ['domain'],
    types: ['config.ts', 'config'],
    packages: ['pino', 'prom-client'],
    node: true,
  },
  {
    folder: 'cli',
    may: ['domain'],
    types: ['http', 'desk', 'config.ts', 'config'],
    packages: ['commander'],
    node: true,
  },
  {
    folder: 'processes',
    may: [
      'domain',
      'machine',
      'agents',
      'activities',
      'channels',
      'desk',
      'erp',
      'temporal',
      'intake',
      'outbox',
      'client',
      'client.ts',
      'http',
      'telemetry',
      'config',
      'workflows',
    ],
    types: ['config.ts'],
    packages: ['@hono/node-server', 'prom-client', '@temporalio/client', '@temporalio/common', '@temporalio/worker'],
    node: true,
  },
  { folder: 'testing', may: ['domain', 'agents'], types: ['erp'], packages: [], node: false },
];

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const anyOf = (texts) => `(?:${texts.map(escape).join('|')})`;
const UP = '^(?:\\.\\./)+';

/** One row as the `patterns` of no-restricted-imports. */
export function patternsOf({ folder, may, types = [], packages, typePackages = [], apart = [], node }) {
  const forbidden = FOLDERS.filter((other) => other !== folder && !may.includes(other) && !types.includes(other));
  const allowedFiles = may.filter((path) => path.includes('/')).map(escape);
  const except = allowedFiles.length > 0 ? `(?!(?:${allowedFiles.join('|')})$)` : '';
  const entries = ENTRIES.filter((entry) => !may.includes(`${entry}.ts`));
  const deps = PACKAGES.filter((name) => !packages.includes(name) && !typePackages.includes(name));
  const patterns = [
    {
      regex: `${UP}${except}${anyOf(forbidden)}/`,
      message: `src/${folder} may not know this folder (eslint.layers.js).`,
    },
    { regex: `${UP}${anyOf(entries)}\\.ts$`, message: 'Entries wire things and are imported by nobody.' },
    { regex: `^${anyOf(deps)}(?:/|$)`, message: `src/${folder} may not use this package (eslint.layers.js).` },
    ...types.map((path) => ({
      regex: typeRegex(path, except),
      allowTypeImports: true,
      message: `src/${folder} may import only types from here.`,
    })),
    ...typePackages.map((name) => ({
      regex: `^${escape(name)}(?:/|$)`,
      allowTypeImports: true,
      message: `src/${folder} may import only types from here.`,
    })),
  ];
  if (apart.length > 0) {
    patterns.push({ regex: `${UP}${anyOf(apart)}/`, message: 'The words of one vendor stay out of another’s folder.' });
  }
  if (!types.includes('config.ts'))
    patterns.push({ regex: `${UP}config\\.ts$`, message: 'Configuration is passed down, not imported.' });
  if (node !== true) {
    const modules = node === false ? '' : `(?!(?:${node.join('|')})$)`;
    patterns.push({ regex: `^node:${modules}`, message: `src/${folder} is plain code: no modules of Node.` });
  }
  return patterns;
}

function typeRegex(path, except) {
  if (path.startsWith('./')) return `^${escape(path)}`;
  return path.endsWith('.ts') ? `${UP}${escape(path)}$` : `${UP}${except}${escape(path)}/`;
}

/** The import rules alone, without type information: what the test lints its deliberate violations with. */
export const importRules = LAYERS.map((layer) => ({
  files: layer.files ?? [`src/${layer.folder}/**`],
  rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: patternsOf(layer) }] },
}));

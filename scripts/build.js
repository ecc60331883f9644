/** `npm run build`: dist/ as it is published, with the console and the workflow bundle made ahead of time, and the schema of the configuration. */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildConsole } from './console.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

function step(name, args) {
  process.stdout.write(`build: ${name}\n`);
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    process.stderr.write(`build: ${name} failed\n`);
    process.exit(1);
  }
}

rmSync(dist, { recursive: true, force: true });
step('types and modules', ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json']);

process.stdout.write('build: console\n');
const failure = buildConsole();
if (failure !== undefined) {
  process.stderr.write(`build: console failed:\n${failure}\n`);
  process.exit(1);
}

process.stdout.write('build: workflow bundle\n');
const { bundleWorkflowCode } = await import('@temporalio/worker');
const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error };
const { code } = await bundleWorkflowCode({ workflowsPath: join(dist, 'workflows/index.js'), logger: quiet });
writeFileSync(join(dist, 'workflows.bundle.js'), code);

process.stdout.write('build: schema of attache.config.json\n');
const { configFileSchema } = await import(pathToFileURL(join(dist, 'config/config-schema.js')).href);
writeFileSync(join(root, 'docs/attache.config.schema.json'), configFileSchema());

process.stdout.write('build: contract of a CRM as a channel\n');
const { crmChannelOpenApi } = await import(pathToFileURL(join(dist, 'channels/generic/openapi.js')).href);
writeFileSync(join(root, 'docs/crm-channel.openapi.json'), crmChannelOpenApi());

process.stdout.write('build: contract of an ERP\n');
const { erpOpenApi } = await import(pathToFileURL(join(dist, 'erp/remote/openapi.js')).href);
writeFileSync(join(root, 'docs/erp.openapi.json'), erpOpenApi());

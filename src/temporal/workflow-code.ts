/** The workflows' code as a worker takes it: one bundle, made once for the same sources. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type Logger } from '@temporalio/worker';

/** A part of Temporal's `WorkerOptions`. */
export interface WorkflowCode {
  readonly workflowBundle: { readonly codePath: string };
}

/** Beside the compiled code, where `npm run build` put it. */
const BUILT = fileURLToPath(new URL('../workflows.bundle.js', import.meta.url));
const SOURCE = fileURLToPath(new URL('../', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What a bundle is made of; a package of another version makes another one, too. */
const FOLDERS = ['workflows', 'domain', 'temporal'];

/**
 * The bundle that `npm run build` made, in a built package; in a clone, one that is made of the sources when they have
 * changed (some seconds) and kept in the clone's `.attache/bundles`.
 */
export async function workflowCode(logger?: Logger): Promise<WorkflowCode> {
  return { workflowBundle: { codePath: existsSync(BUILT) ? BUILT : await bundleOfSources(logger) } };
}

async function bundleOfSources(logger: Logger | undefined): Promise<string> {
  const folder = join(ROOT, '.attache', 'bundles');
  const name = `${hashOfSources()}.js`;
  const file = join(folder, name);
  if (existsSync(file)) return file;
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(SOURCE, 'workflows', 'index.ts'),
    ...(logger === undefined ? {} : { logger }),
  });
  mkdirSync(folder, { recursive: true });
  for (const old of readdirSync(folder))
    if (old.endsWith('.js') && old !== name) rmSync(join(folder, old), { force: true });
  // Another process may be writing the very same.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, code);
  renameSync(draft, file);
  return file;
}

function hashOfSources(): string {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')));
  for (const folder of FOLDERS)
    for (const name of readdirSync(join(SOURCE, folder), { recursive: true, encoding: 'utf8' }).sort())
      if (name.endsWith('.ts')) hash.update(name).update(readFileSync(join(SOURCE, folder, name)));
  return hash.digest('hex').slice(0, 32);
}

/** The command line in this process, against whatever server a test names. */
import { serve } from '@hono/node-server';
import { runCli } from '../../src/cli/program.ts';
import type { Processes } from '../../src/cli/context.ts';
import { createApp } from '../../src/http/app.ts';
import type { HttpDeps } from '../../src/http/deps.ts';

export interface Ran {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

export async function attache(
  args: readonly string[],
  { url, columns, processes = {} }: { url?: string | undefined; columns?: number; processes?: Partial<Processes> } = {},
): Promise<Ran> {
  let [out, err] = ['', ''];
  const none = async (): Promise<never> => Promise.reject(new Error('no process is started here'));
  const exit = await runCli(args, {
    version: '0.0.0',
    terminal: { out: (text) => (out += text), err: (text) => (err += text), columns },
    settings: () => ({ url, apiKey: undefined }),
    processes: {
      dev: none,
      worker: none,
      server: none,
      doctor: none,
      conformance: none,
      erpConformance: none,
      simulate: none,
      replay: none,
      ...processes,
    },
  });
  return { exit, out, err };
}

export interface Served {
  readonly url: string;
  close(): Promise<void>;
}

/** The API on a port of its own. */
export async function serveApi(deps: HttpDeps): Promise<Served> {
  // Idle connections stay, as the real server keeps them for longer than any test.
  const serverOptions = { keepAliveTimeout: 0 };
  const server = serve({ fetch: createApp(deps).fetch, port: 0, hostname: '127.0.0.1', serverOptions });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

/** Names of the checks that `attache conformance` printed as failed. */
export function failedChecks({ out }: Pick<Ran, 'out'>): string[] {
  return [...out.matchAll(/^FAIL {2}(.*)$/gm)].map(([, name]) => name ?? '');
}

/** For load balancers and scrapers. */
import type { Hono } from 'hono';
import { z } from 'zod';
import type { HttpDeps } from '../deps.ts';
import type { OpenRoute } from '../openapi.ts';

/** Shorter than the time-outs of the usual probes. */
const CHECK_TIMEOUT_MS = 3_000;

const Health = z.object({ status: z.literal('ok'), version: z.string() });

export const HEALTH_ROUTES: readonly OpenRoute[] = [
  {
    method: 'get',
    path: '/healthz',
    summary: 'Alive, and which version of Attaché: for whoever asks',
    answers: { 200: Health },
  },
];

export function healthRoutes(app: Hono, deps: Pick<HttpDeps, 'desk' | 'temporal' | 'metrics' | 'version'>): void {
  app.get('/healthz', (context) =>
    context.json({ status: 'ok', version: deps.version } satisfies z.infer<typeof Health>),
  );
  app.get('/readyz', async (context) => {
    const [temporal, database, missing] = await Promise.all([
      check(() => deps.temporal.ping()),
      check(() => deps.desk.ping()),
      check(async () => {
        const names = await deps.temporal.missingSearchAttributes();
        if (names.length > 0) throw new Error(`missing: ${names.join(', ')}; run attache doctor --fix`);
      }),
    ]);
    const ready = temporal === 'ok' && database === 'ok' && missing === 'ok';
    return context.json(
      { status: ready ? 'ready' : 'not ready', checks: { temporal, database, searchAttributes: missing } },
      ready ? 200 : 503,
    );
  });
  app.get(
    '/metrics',
    async () => new Response(await deps.metrics.text(), { headers: { 'content-type': deps.metrics.contentType } }),
  );
}

async function check(probe: () => Promise<void>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer in ${CHECK_TIMEOUT_MS / 1_000} s`));
    }, CHECK_TIMEOUT_MS);
  });
  try {
    await Promise.race([probe(), late]);
    return 'ok';
  } catch (error) {
    return error instanceof Error && error.message !== ''
      ? (error.message.split('\n')[0]?.slice(0, 200) ?? 'failed')
      : 'no answer';
  } finally {
    clearTimeout(timer);
  }
}

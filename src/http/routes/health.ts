/** For load balancers, scrapers, and whoever opens the address in a browser. */
import type { Context, Hono } from 'hono';
import type { HttpDeps } from '../deps.ts';

/** Shorter than the time-outs of the usual probes. */
const CHECK_TIMEOUT_MS = 3_000;

export function healthRoutes(app: Hono, deps: Pick<HttpDeps, 'desk' | 'temporal' | 'metrics'>): void {
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
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
  app.get('/', home);
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

/** Until the console is here: where things are. */
function home(context: Context): Response | Promise<Response> {
  const links = [
    ['/openapi.json', 'the API, OpenAPI 3.1'],
    ['/v1/tenants/demo/runs', 'runs of the tenant demo'],
    ['/v1/tenants/demo/stats', 'counts of the tenant demo'],
    ['/readyz', 'are Temporal and the database there'],
    ['/healthz', 'is this process there'],
    ['/metrics', 'for Prometheus'],
  ];
  const items = links.map(([href, words]) => `<li><a href="${href}"><code>${href}</code></a> ${words}</li>`).join('');
  return context.html(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Attaché</title>` +
      `<style>body{font:16px/1.6 system-ui;margin:3rem auto;max-width:40rem;padding:0 1rem;color-scheme:light dark}</style>` +
      `<h1>Attaché</h1><p>The operator console will be here. Until then, the command line shows everything: <code>npx attache runs</code>.</p><ul>${items}</ul></html>`,
  );
}

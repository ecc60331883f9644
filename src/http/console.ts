/** The console's static files, as Vite builds them, with nothing but this server to load from. */
import { readFile } from 'node:fs/promises';
import { extname, join, resolve, sep } from 'node:path';
import type { Context, Hono } from 'hono';
import type { ConsolePlace } from './deps.ts';
import { etagOf } from './etag.ts';
import { htmlPage } from './pages.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
/** As `scripts/console.js` writes them, the smallest first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
/** Vite names what is in here by its content. */
const HASHED = '/assets/';
/** The server's own addresses: what is unknown below them is a problem in JSON, never a page. */
const NOT_PAGES = /^\/(?:v1|webhooks|docs|codec|openapi\.json|healthz|readyz|metrics)(?:\/|$)/;

export function consoleRoutes(app: Hono, place: ConsolePlace): void {
  app.get('*', async (context, next) => {
    const { pathname } = new URL(context.req.url);
    if (NOT_PAGES.test(pathname)) return next();
    const file = await fileAt(place.folder, pathname, context);
    if (file !== undefined) return answer(context, file, headersFor(pathname));
    if (pathname !== '/' && (pathname.startsWith(HASHED) || !wantsPage(context))) return next();
    return consolePage(context, place);
  });
}

/** The console itself, for any address of its own. @param framedBy the one origin that may frame it; absent: nobody. */
export async function consolePage(context: Context, { folder }: ConsolePlace, framedBy?: string): Promise<Response> {
  const index = await fileAt(folder, '/index.html', context);
  const headers = { 'cache-control': 'no-cache', ...pageHeaders(framedBy) };
  return index === undefined ? unbuilt(framedBy) : answer(context, index, headers);
}

/** Nothing inline, nothing from elsewhere. The address may hold a token: it goes to nobody. */
function pageHeaders(framedBy = "'none'"): Record<string, string> {
  const policy = [
    ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "font-src 'self'"],
    ...["connect-src 'self'", "manifest-src 'self'", "base-uri 'none'", "form-action 'self'"],
    `frame-ancestors ${framedBy}`,
  ];
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  };
}

function headersFor(pathname: string): Record<string, string> {
  const kept = pathname.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache';
  return { 'cache-control': kept, ...pageHeaders() };
}

function wantsPage(context: Context): boolean {
  return (context.req.header('accept') ?? '').includes('text/html');
}

interface Found {
  readonly body: Buffer;
  readonly type: string;
  /** Undefined: as it is. */
  readonly encoding: string | undefined;
}

/** As small as the asker takes it. Undefined: no such file, or outside the folder. */
async function fileAt(folder: string, pathname: string, context: Context): Promise<Found | undefined> {
  const path = resolve(join(folder, decoded(pathname)));
  const type = TYPES[extname(path)];
  if (!path.startsWith(resolve(folder) + sep) || type === undefined) return undefined;
  const taken = takenBy(context);
  for (const [encoding, suffix] of ENCODINGS) {
    if (!taken.has(encoding)) continue;
    const body = await readFile(`${path}${suffix}`).catch(() => undefined);
    if (body !== undefined) return { body, type, encoding };
  }
  const body = await readFile(path).catch(() => undefined);
  return body === undefined ? undefined : { body, type, encoding: undefined };
}

/** What `Accept-Encoding` names and does not refuse. */
function takenBy(context: Context): ReadonlySet<string> {
  const named = (context.req.header('accept-encoding') ?? '').toLowerCase().split(',');
  return new Set(
    named.filter((one) => !/;\s*q=0(?:\.0*)?\s*$/.test(one)).map((one) => one.split(';')[0]?.trim() ?? ''),
  );
}

function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname).replaceAll('\0', '');
  } catch {
    return '/';
  }
}

function answer(context: Context, { body, type, encoding }: Found, headers: Record<string, string>): Response {
  const etag = etagOf(body);
  const all = {
    ...headers,
    ...{ etag, vary: 'accept-encoding', 'content-type': type },
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
  };
  if (context.req.header('if-none-match') === etag) return new Response(null, { status: 304, headers: all });
  return new Response(new Uint8Array(body), { headers: all });
}

function unbuilt(framedBy: string | undefined): Response {
  const body = `<h1>Attaché</h1>
<p>The console has not been built here. In this folder run <code>npm run build</code> (or <code>npm start</code>), then reload.</p>
<ul>
<li><a href="/docs/api">/docs/api</a> the API</li>
<li><a href="/openapi.json">/openapi.json</a> the same as an OpenAPI 3.1 document</li>
<li><a href="/readyz">/readyz</a> are Temporal and the database there</li>
</ul>
<p>The command line shows everything too: <code>npx attache runs</code>.</p>`;
  return htmlPage({ title: 'Attaché', body, framedBy, headers: { 'cache-control': 'no-cache' } });
}

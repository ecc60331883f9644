/** Plain pages written by the server itself: no script, one style sheet, readable in light and dark. */
import { createHash } from 'node:crypto';

const STYLE = `:root{color-scheme:light dark}
body{font:15px/1.55 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem}
code,pre{font:13px/1.5 ui-monospace,monospace}pre{overflow:auto;padding:.75rem;border:1px solid color-mix(in srgb,currentColor 20%,transparent);border-radius:6px}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid color-mix(in srgb,currentColor 15%,transparent)}
td code{overflow-wrap:anywhere}td:last-child{width:45%}p,pre{max-width:60rem}
h2{margin-top:2.5rem}h3{margin-top:2rem}summary{cursor:pointer;padding:.25rem 0}.quiet{opacity:.7}`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

interface Page {
  readonly title: string;
  /** HTML; whatever comes from elsewhere has been through {@link escaped}. */
  readonly body: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The one origin that may frame it; absent: nobody. */
  readonly framedBy?: string | undefined;
}

/** With a policy that lets it load nothing. */
export function htmlPage({ title, body, status = 200, headers = {}, framedBy = "'none'" }: Page): Response {
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><main>
${body}
</main></body>
</html>
`;
  const policy = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors ${framedBy}`;
  return new Response(html, {
    status,
    headers: {
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  });
}

/** Text as it stands in HTML, in an attribute too. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The reference, from the API's own description; and a page for each problem, which is where its `type` leads. */
import type { Hono } from 'hono';
import { typeWords } from '../schema-words.ts';
import { escaped, htmlPage } from '../pages.ts';
import { PROBLEMS, ProblemError, type ProblemCode } from '../problems.ts';
import { REMEDIES } from '../remedies.ts';

interface Operation {
  readonly summary: string;
  readonly operationId: string;
  readonly 'x-role'?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: unknown;
    readonly required: boolean;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: unknown }>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly description?: string; readonly content?: Readonly<Record<string, { readonly schema: unknown }>> }
    >
  >;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** @param document may be asked for on every request. */
export function docsRoutes(app: Hono, document: () => { readonly paths?: unknown }): void {
  let reference: string | undefined;
  app.get('/docs', (context) => context.redirect('/docs/api'));
  app.get('/docs/api', () => {
    reference ??= referenceOf(document().paths as Paths);
    return htmlPage({ title: 'Attaché: the API', body: reference });
  });
  app.get('/docs/problems', () => htmlPage({ title: 'Attaché: problems', body: `<h1>Problems</h1>${problemTable()}` }));
  app.get('/docs/problems/:code', (context) => {
    const code = context.req.param('code');
    if (!isCode(code))
      throw new ProblemError('no_such_route', `there is no problem ${code.slice(0, 60)}; see /docs/problems`);
    const { status, title } = PROBLEMS[code];
    const body = `<p><a href="/docs/problems">Problems</a></p>
<h1>${escaped(title)}</h1>
<p><code>${code}</code>, HTTP ${status}</p>
<p>${marked(REMEDIES[code])}</p>
<p class="quiet">The <code>detail</code> of the answer says what it was this time, its <code>errors</code> name the fields.</p>`;
    return htmlPage({ title: `${code}: ${title}`, body });
  });
}

function isCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}

function problemTable(): string {
  const rows = Object.entries(PROBLEMS).map(
    ([code, { status, title }]) =>
      `<tr><td><a href="/docs/problems/${code}"><code>${code}</code></a></td><td>${status}</td><td>${escaped(title)}</td></tr>`,
  );
  return `<table><thead><tr><th>code</th><th>status</th><th></th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function referenceOf(paths: Paths): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const index = operations.map(
    ({ path, method, operation }) =>
      `<tr><td>${method.toUpperCase()}</td><td><a href="#${operation.operationId}"><code>${breakable(path)}</code></a></td><td>${operation['x-role'] ?? ''}</td><td>${marked(operation.summary)}</td></tr>`,
  );
  return `<h1>The API of this server</h1>
<p>HTTP and JSON. The same as a document: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1). What can go wrong: <a href="/docs/problems">problems</a>.
Lists are <code>{items, nextCursor}</code>; instants are ISO-8601 in UTC; machines send <code>Authorization: Bearer</code> and a key.</p>
<table><thead><tr><th>method</th><th>path</th><th>role</th><th></th></tr></thead><tbody>${index.join('\n')}</tbody></table>
${operations.map(sectionOf).join('\n')}`;
}

function sectionOf({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const { operationId, summary, parameters = [], requestBody, responses } = operation;
  const role = operation['x-role'] === undefined ? '' : ` <span class="quiet">role ${operation['x-role']}</span>`;
  const rows = parameters.map(
    ({ name, in: where, schema, required }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${where}${required ? ', required' : ''}</td><td><code>${escaped(typeWords(schema))}</code></td></tr>`,
  );
  const body = requestBody === undefined ? '' : schemaBlock('Body', requestBody.content);
  const answers = Object.entries(responses)
    .filter(([status]) => status !== 'default')
    .map(([status, { description = '', content }]) =>
      content === undefined ? `<p>${status}: ${escaped(description)}</p>` : schemaBlock(status, content),
    );
  return `<h3 id="${operationId}">${method.toUpperCase()} <code>${escaped(path)}</code>${role}</h3>
<p>${marked(summary)}</p>
${rows.length === 0 ? '' : `<table><tbody>${rows.join('')}</tbody></table>`}
${body}${answers.join('')}`;
}

function schemaBlock(name: string, content: Readonly<Record<string, { readonly schema: unknown }>>): string {
  const schema = content['application/json']?.schema ?? content['text/csv']?.schema;
  return `<details><summary>${escaped(name)}</summary><pre>${escaped(typeWords(schema))}</pre></details>`;
}

/** A path, broken before a slash where it has no room. */
function breakable(path: string): string {
  return escaped(path).replaceAll('/', '<wbr>/');
}

/** Of Markdown, what the guide uses: code. */
function marked(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

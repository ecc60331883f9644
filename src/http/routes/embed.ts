/** One conversation inside a CRM's page. */
import type { Hono } from 'hono';
import { z } from 'zod';
import { durationMs } from '../../domain/durations.ts';
import { parseConversationId } from '../../domain/ids.ts';
import { ConversationIdSchema } from '../../domain/schemas/ids.ts';
import { Duration, Instant } from '../../domain/schemas/values.ts';
import { consolePage } from '../console.ts';
import type { HttpDeps } from '../deps.ts';
import { readEmbedToken, writeEmbedToken } from '../embed-token.ts';
import { escaped, htmlPage } from '../pages.ts';
import { invalidField, ProblemError } from '../problems.ts';
import { Asker, type Routes } from '../route.ts';
import { ACTS } from './runs.ts';

/** A shift at the longest: the page that frames it asks for a new one. */
const LONGEST_MS = 12 * 3_600_000;
const Origin = z.string().refine(isOrigin, { error: 'must be the origin of a page, such as https://crm.example' });
const Request = Asker.extend({
  conversation: ConversationIdSchema,
  ttl: Duration.refine((text) => (durationMs(text) ?? 0) >= 1_000 && (durationMs(text) ?? 0) <= LONGEST_MS, {
    error: 'must be 1s to 12h',
  }).default('1h'),
  allowedActs: z.array(z.enum(ACTS)).max(ACTS.length).default([]),
  origin: Origin.optional(),
});
const Answer = z.object({ token: z.string(), url: z.string(), origin: z.string(), expiresAt: Instant });

type Deps = Pick<HttpDeps, 'desk' | 'console' | 'embedOrigin'>;

export function embedRoutes(app: Hono, routes: Routes, deps: Deps): void {
  routes.add(
    {
      method: 'post',
      path: '/embed-tokens',
      role: 'operator',
      summary:
        'A token for the panel of one conversation; `origin` (default: the CRM of the configuration) may frame it',
      body: Request,
      answers: { 201: Answer },
      act: 'embed-tokens.create',
      secret: true,
    },
    async ({ tenant, body, caller }) => {
      const origin = body.origin ?? deps.embedOrigin(tenant);
      if (origin === null) throw invalidField('origin', 'must be given: no channel of the configuration names a CRM');
      const until = Math.floor((Date.now() + (durationMs(body.ttl) ?? 0)) / 1_000);
      const { conversation, allowedActs: acts } = body;
      const person = caller.person ?? body.by ?? null;
      const claims = {
        tenant,
        conversation: parseConversationId(conversation),
        acts,
        origin,
        until,
        name: caller.name,
        key: caller.key,
        person,
      };
      const token = await writeEmbedToken(claims, deps);
      const url = `/embed/conversations/${conversation}?token=${token}`;
      const expiresAt = new Date(until * 1_000).toISOString();
      return Response.json(
        { token, url, origin, expiresAt },
        { status: 201, headers: { 'cache-control': 'no-store' } },
      );
    },
  );
  app.get('/embed/conversations/:conversation', async (context) => {
    try {
      const claims = await readEmbedToken(context.req.query('token') ?? '', deps);
      if (claims.conversation !== context.req.param('conversation'))
        throw new ProblemError('forbidden', 'this embed token is for another conversation');
      return await consolePage(context, deps.console, claims.origin);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return htmlPage({ title: 'Attaché', body: `<p>${escaped(error.message)}</p>`, status: 401 });
    }
  });
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const isHere = url.hostname === 'localhost' || url.hostname === '127.0.0.1';
  // A wildcard, or a semicolon, would say more in a content security policy than one site.
  const isOneHost = /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])$/.test(url.hostname);
  return isOneHost && url.origin === text && (url.protocol === 'https:' || (url.protocol === 'http:' && isHere));
}

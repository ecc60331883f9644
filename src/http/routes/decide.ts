/**
 * The page behind a signed link. GET shows the exact actions and never decides: programs that preview links in messages
 * follow them. POST, from the page's own form, decides.
 */
import { type Context, type Hono } from 'hono';
import type { Investigation } from '../../domain/schemas/investigations.ts';
import { readBytes } from '../bodies.ts';
import { readDecisionToken, type DecisionLink } from '../decision-links.ts';
import type { HttpDeps } from '../deps.ts';
import { decisionPage, wordsPage } from '../decision-page.ts';
import type { InvestigationService } from '../investigation-service.ts';
import { PROBLEMS, ProblemError } from '../problems.ts';
import { audited } from '../audited.ts';

/** A form of two fields. */
const FORM_LIMIT = 8 * 1024;
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
  // The address is the secret.
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
};

export function decideRoutes(
  app: Hono,
  deps: Pick<HttpDeps, 'linkSecret' | 'tenants' | 'desk' | 'log'>,
  service: InvestigationService,
): void {
  app.get('/decide/:token', async (context) =>
    withLink(context, deps, async (link) => {
      const investigation = await service.get(link.tenant, link.investigation);
      return page(200, decisionPage(investigation, link));
    }),
  );
  app.post('/decide/:token', async (context) =>
    withLink(context, deps, async (link) => {
      const form = new URLSearchParams(new TextDecoder().decode(await readBytes(context.req.raw, FORM_LIMIT)));
      const decision = form.get('decision');
      if (decision !== 'approve' && decision !== 'reject')
        throw new ProblemError('invalid', 'decision: must be approve or reject');
      const { tenant, investigation: id, person, proposalHash } = link;
      const reason = form.get('reason')?.slice(0, 1_000) ?? '';
      const actor = `${person}/link`;
      const act = { tenant, actor, act: `investigations.${decision}`, target: id, body: { reason } };
      return audited(act, deps, async () => {
        const decided = await service.decide(
          { tenant, id },
          // Whom the configuration names as an approver may decide.
          { decision, actor, person, role: 'operator', reason: reason === '' ? null : reason, proposalHash },
        );
        return page(200, wordsPage(wordsOfDecision(decided, decision)));
      });
    }),
  );
}

async function withLink(
  context: Context,
  { linkSecret, tenants }: Pick<HttpDeps, 'linkSecret' | 'tenants'>,
  answer: (link: DecisionLink) => Promise<Response>,
): Promise<Response> {
  const link = linkSecret === null ? null : readDecisionToken(context.req.param('token') ?? '', linkSecret);
  if (link === null) return page(404, wordsPage('This link is not valid. Ask for a new one.'));
  if (!tenants.isApprover(link.tenant, link.person))
    return page(403, wordsPage(`${link.person} is no approver any more. Ask whoever keeps the configuration.`));
  if (Date.parse(link.expiresAt) <= Date.now()) return page(410, wordsPage(`This link expired at ${link.expiresAt}.`));
  try {
    return await answer(link);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return page(PROBLEMS[error.code].status, wordsPage(`${PROBLEMS[error.code].title}: ${error.message}`));
  }
}

function wordsOfDecision({ status, proposal }: Investigation, decision: 'approve' | 'reject'): string {
  if (decision === 'reject') return 'Rejected. Nothing will be done.';
  return status === 'proposed' && (proposal?.approvals ?? 1) > 1
    ? 'Approved. A second person has to approve it too.'
    : 'Approved. It is being carried out.';
}

function page(status: number, html: string): Response {
  return new Response(html, { status, headers: HEADERS });
}

/** Verify over the raw bytes, parse, store, answer: in this order, whatever the channel. */
import type { Context, Hono } from 'hono';
import type { ParsedWebhook } from '../../channels/inbound.ts';
import type { WebhookRefusal } from '../../channels/webhooks.ts';
import { parseTenantId } from '../../domain/ids.ts';
import { readBytes, WEBHOOK_LIMIT } from '../bodies.ts';
import type { HttpDeps } from '../deps.ts';
import { ProblemError } from '../problems.ts';
import { takeIn } from '../take-in.ts';

type WebhookDeps = Pick<HttpDeps, 'desk' | 'intake' | 'webhooks' | 'log'>;

export function webhookRoutes(app: Hono, deps: WebhookDeps): void {
  const { whatsapp, chatwoot, generic } = deps.webhooks;
  app.get('/webhooks/whatsapp/:tenant', (context) => {
    const answer = whatsapp.handshake(tenantOf(context), context.req.query());
    if ('refused' in answer) throw refusal(answer);
    return context.text(answer.challenge);
  });
  app.post('/webhooks/whatsapp/:tenant', async (context) => {
    const body = await readBytes(context.req.raw, WEBHOOK_LIMIT);
    return take(whatsapp.receive(tenantOf(context), body, context.req.raw.headers), deps);
  });
  app.post('/webhooks/chatwoot/:tenant', async (context) => {
    const body = await readBytes(context.req.raw, WEBHOOK_LIMIT);
    return take(chatwoot.receive(tenantOf(context), body, context.req.raw.headers), deps);
  });
  app.post('/webhooks/generic/:tenant', async (context) => {
    const body = await readBytes(context.req.raw, WEBHOOK_LIMIT);
    return take(generic.receive(tenantOf(context), body, context.req.raw.headers), deps);
  });
}

/** 2xx once all is stored, with how many facts there were, how many of them were known, and how much could not be read. */
async function take(parsed: ParsedWebhook | WebhookRefusal, deps: WebhookDeps): Promise<Response> {
  if ('refused' in parsed) throw refusal(parsed);
  const answers = await takeIn(parsed, deps);
  const duplicates = answers.filter(({ result }) => result === 'duplicate').length;
  return Response.json({ received: answers.length, duplicates, unreadable: parsed.unreadable.length });
}

function tenantOf(context: Context): ReturnType<typeof parseTenantId> {
  return parseTenantId(context.req.param('tenant') ?? '');
}

function refusal({ refused }: WebhookRefusal): ProblemError {
  switch (refused) {
    case 'not_configured':
      return new ProblemError('channel_not_configured', 'name the channel in attache.config.json');
    case 'bad_signature':
      return new ProblemError(
        'bad_signature',
        'the signature is missing, or was made with another secret or over other bytes, or at a time more than five minutes from this machine’s clock',
      );
    case 'not_a_handshake':
      return new ProblemError(
        'malformed_request',
        'a GET here is the handshake by which Meta confirms the address: hub.mode, hub.verify_token and hub.challenge are needed',
      );
    case 'wrong_token':
      return new ProblemError(
        'wrong_verify_token',
        'hub.mode must be subscribe, and hub.verify_token the verifyToken of the channel in attache.config.json',
      );
  }
}

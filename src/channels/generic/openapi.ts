/** The contract as OpenAPI 3.1: what docs/crm-channel.openapi.json holds. */
import { z } from 'zod';
import { CrmProblem, OPERATIONS, REFUSALS } from './contract.ts';

const header = (name: string, description: string, required = true) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
});
const SIGNED = [
  header('webhook-id', 'Names the request; a message that is sent again has the same.'),
  header('webhook-timestamp', 'Unix seconds of this attempt; refuse what is more than 300 off.'),
  header(
    'webhook-signature',
    '`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, keyed with the bytes that the secret holds in base64 after `whsec_`; any of those listed, parted by spaces, may fit.',
  ),
];
const KEY = header('idempotency-key', 'The reference again, for gateways that know this header.', false);

export function crmChannelOpenApi(): string {
  const paths = Object.fromEntries(
    Object.entries(OPERATIONS).map(([operationId, { path, request, answer, summary }]) => [
      path,
      {
        post: {
          operationId,
          summary,
          parameters: 'reference' in request.shape ? [...SIGNED, KEY] : SIGNED,
          requestBody: { required: true, content: content(request, 'output') },
          responses: {
            200: { description: 'Done, or done before.', content: content(answer, 'input') },
            ...Object.fromEntries(
              Object.entries(REFUSALS).map(([status, description]) => [status, { description, ...PROBLEM }]),
            ),
          },
        },
      },
    ]),
  );
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'A CRM as a channel of Attaché',
      version: '1',
      description:
        'What your server answers so that agents write through it: docs/guide/crm-channel.md. Requests are signed by Standard Webhooks. `attache conformance URL` tries it.',
    },
    servers: [{ url: 'https://crm.example.com/attache' }],
    paths,
    components: { schemas: { Problem: schemaOf(CrmProblem, 'input') } },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const PROBLEM = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } } };

function content(schema: z.ZodType, io: 'input' | 'output'): object {
  return { 'application/json': { schema: schemaOf(schema, io) } };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): object {
  const json = z.toJSONSchema(schema, { io, reused: 'inline' });
  return Object.fromEntries(Object.entries(json).filter(([key]) => key !== '$schema'));
}

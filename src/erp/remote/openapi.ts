/** The contract as OpenAPI 3.1: what docs/erp.openapi.json holds. */
import { z } from 'zod';
import { ERP_RECORDS, Money } from '../../domain/schemas/erp-records.ts';
import { AnyRecord, ErpCommand, RecordVersion } from '../../domain/schemas/erp-writes.ts';
import { ErpProblem, OPERATIONS, REFUSALS } from './contract.ts';

const uri = (id: string): string => `#/components/schemas/${id}`;
const capital = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
const contentOf = (id: string): object => ({ 'application/json': { schema: { $ref: uri(id) } } });

export function erpOpenApi(): string {
  const paths = Object.fromEntries(
    Object.entries(OPERATIONS).map(([operationId, { path, summary }]) => [
      path,
      {
        post: {
          operationId,
          summary,
          requestBody: { required: true, content: contentOf(`${capital(operationId)}Request`) },
          responses: {
            200: {
              description: 'The answer; of a write, also that it was not done.',
              content: contentOf(`${capital(operationId)}Answer`),
            },
            ...Object.fromEntries(
              Object.entries(REFUSALS).map(([status, description]) => [
                status,
                { description, content: contentOf('Problem') },
              ]),
            ),
          },
        },
      },
    ]),
  );
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'An ERP for the watchers of Attaché',
      version: '1',
      description:
        'What your server answers so that watchers read it and approved proposals write to it: docs/guide/erp.md. `attache conformance --erp URL` tries it.',
    },
    servers: [{ url: 'https://erp.example.com/attache' }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: schemas(),
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** By name, so that a record is written down once. */
function schemas(): object {
  const named = z.registry<{ id: string }>();
  for (const [name, { request, answer }] of Object.entries(OPERATIONS)) {
    named.add(request, { id: `${capital(name)}Request` });
    named.add(answer, { id: `${capital(name)}Answer` });
  }
  for (const [kind, record] of Object.entries(ERP_RECORDS)) named.add(record, { id: capital(kind) });
  named.add(Money, { id: 'Money' });
  named.add(AnyRecord, { id: 'Record' });
  named.add(ErpCommand, { id: 'Command' });
  named.add(RecordVersion, { id: 'RecordVersion' });
  named.add(ErpProblem, { id: 'Problem' });
  const json = z.toJSONSchema(named, { io: 'input', uri, reused: 'inline' });
  return Object.fromEntries(
    Object.entries(json.schemas).map(([id, schema]) => [
      id,
      Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema' && key !== '$id')),
    ]),
  );
}

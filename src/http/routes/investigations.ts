/** Investigations: what is proposed, and what people decide on it. The workflow decides; the desk remembers. */
import { z } from 'zod';
import { INVESTIGATION_STATUSES } from '../../domain/investigations.ts';
import { Money, LocalDate } from '../../domain/schemas/erp-records.ts';
import { AgentKeySchema } from '../../domain/schemas/ids.ts';
import { Investigation, InvestigationSummary } from '../../domain/schemas/investigations.ts';
import type { InvestigationService } from '../investigation-service.ts';
import { Beginning, pageOf, PageQuery, present, type Routes } from '../route.ts';

const ListQuery = z.strictObject({
  status: z.enum(INVESTIGATION_STATUSES).optional(),
  agent: AgentKeySchema.optional(),
  ...Beginning,
  ...PageQuery,
});
const DecisionBody = z.strictObject({
  by: z.string().max(200).optional(),
  reason: z.string().max(1_000).optional(),
  /** Of the proposal that was looked at; absent: whichever is current. */
  proposalHash: z.string().max(100).optional(),
});
const AnswerBody = z.strictObject({
  by: z.string().max(200).optional(),
  step: z.string().max(40),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('offer'),
      supplierId: z.string().max(64),
      unitCost: Money,
      deliverOn: LocalDate,
    }),
    z.strictObject({
      kind: z.literal('confirmation'),
      yes: z.boolean(),
      note: z.string().max(1_000).nullable().default(null),
    }),
  ]),
});

export function investigationRoutes(routes: Routes, service: InvestigationService): void {
  routes.add(
    {
      method: 'get',
      path: '/investigations',
      role: 'viewer',
      summary: 'List investigations, newest first; status=proposed are those that wait for a decision',
      query: ListQuery,
      answers: { 200: pageOf(InvestigationSummary) },
    },
    async ({ tenant, query }) => {
      const { agent, ...filter } = present(query);
      const found = await service.list({
        tenant,
        ...filter,
        ...(agent === undefined ? {} : { agent }),
      });
      return Response.json({ ...found, items: found.items.map((one) => InvestigationSummary.parse(one)) });
    },
  );
  routes.add(
    {
      method: 'get',
      path: '/investigations/:investigation',
      role: 'viewer',
      summary: 'One investigation: its evidence, its proposal, who decided, what was done',
      answers: { 200: Investigation },
    },
    async ({ tenant, param }) => Response.json(await service.get(tenant, param('investigation'))),
  );
  for (const decision of ['approve', 'reject'] as const)
    routes.add(
      {
        method: 'post',
        path: `/investigations/:investigation/${decision}`,
        role: 'operator',
        summary: `${decision === 'approve' ? 'Approve' : 'Reject'} its proposal; a decision that comes second is told who decided`,
        body: DecisionBody,
        bodyIs: 'optional',
        answers: { 200: Investigation },
      },
      async ({ tenant, caller, param, body, actor }) =>
        Response.json(
          await service.decide(
            { tenant, id: param('investigation') },
            {
              ...{
                decision,
                actor: actor(body.by),
                person: caller.name,
                role: caller.role,
                reason: body.reason ?? null,
              },
              ...(body.proposalHash === undefined ? {} : { proposalHash: body.proposalHash }),
            },
          ),
        ),
    );
  routes.add(
    {
      method: 'post',
      path: '/investigations/:investigation/answer',
      role: 'operator',
      summary: 'Answer what a step asks: a supplier’s offer, or a confirmation',
      body: AnswerBody,
      answers: { 200: Investigation },
    },
    async ({ tenant, param, body, actor }) => {
      const { by, ...given } = body;
      return Response.json(
        await service.answer({ tenant, id: param('investigation') }, { ...given, actor: actor(by) }),
      );
    },
  );
}

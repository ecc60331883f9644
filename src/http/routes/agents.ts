/** The agents of this server: what they are, and how many runs each has. */
import { z } from 'zod';
import type { Agent } from '../../agents/define-agent.ts';
import { Policy, resolvePolicy } from '../../domain/schemas/policy.ts';
import { RUN_STATUSES, type RunStatus } from '../../domain/statuses.ts';
import { stopperOf } from '../../domain/switches.ts';
import type { HttpDeps } from '../deps.ts';
import { pageOf, type Routes } from '../route.ts';
import { SwitchSchema } from './desk.ts';

const AgentSchema = z.object({
  key: z.string(),
  version: z.int(),
  title: z.string(),
  answers: z.boolean(),
  attachesTo: z.enum(['conversation', 'business']),
  slot: z.string(),
  model: z.boolean(),
  wakeOn: z.array(z.string()),
  /** With the tenant's own bounds. */
  policy: Policy,
  /** JSON Schema. */
  configSchema: z.looseObject({}),
  runs: z.array(
    z.object({
      version: z.int().nullable(),
      status: z.enum(RUN_STATUSES as [RunStatus, ...RunStatus[]]),
      count: z.int(),
    }),
  ),
  /** The kill switch that stops it; null: none does. */
  off: SwitchSchema.nullable(),
});

export function agentRoutes(
  routes: Routes,
  { desk, agents, policyOf }: Pick<HttpDeps, 'desk' | 'agents' | 'policyOf'>,
): void {
  routes.add(
    {
      method: 'get',
      path: '/agents',
      role: 'viewer',
      summary:
        'The agents of this server, with policy, configuration schema, kill switch and runs by version and status',
      answers: { 200: pageOf(AgentSchema) },
    },
    async ({ tenant }) => {
      const [counts, switches] = await Promise.all([desk.reports.agents(tenant), desk.switches.list(tenant)]);
      const items = agents.list().map((agent) => {
        const { key, version, title, answers, attachesTo, slot, model, wakeOn } = agent;
        const off = stopperOf(switches, { scope: 'agent', key });
        const runs = counts
          .filter((one) => one.agent === key)
          .map(({ version: of, status, count }) => ({ version: of, status, count }));
        return {
          ...{ key, version, title, answers, attachesTo, slot, model, wakeOn },
          policy: resolvePolicy(agent.policy, policyOf(tenant, key)),
          configSchema: schemaOf(agent),
          runs,
          off:
            off === undefined ? null : { scope: off.scope, key: off.key, by: off.by, reason: off.reason, at: off.at },
        };
      });
      return Response.json({ items, nextCursor: null });
    },
  );
}

function schemaOf({ config }: Agent): object {
  return z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' });
}

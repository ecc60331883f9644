/** The agents of this server: what they are, and how many runs each has. */
import { z } from 'zod';
import type { Agent } from '../../agents/define-agent.ts';
import { resolvePolicy } from '../../domain/schemas/policy.ts';
import { stopperOf } from '../../domain/switches.ts';
import { AgentView } from '../answers/agents.ts';
import type { HttpDeps } from '../deps.ts';
import { pageOf, type Routes } from '../route.ts';
import { shownSwitch } from './switches.ts';

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
      answers: { 200: pageOf(AgentView) },
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
          off: off === undefined ? null : shownSwitch(off),
        };
      });
      return Response.json({ items, nextCursor: null });
    },
  );
}

function schemaOf({ config }: Agent): object {
  return z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' });
}

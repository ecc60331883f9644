/** What the configuration says of agents, held against the agents there are. */
import type { Registry } from '../agents/registry.ts';
import type { Config } from '../config.ts';
import type { InputProblem } from '../domain/errors.ts';

/** A rule for an agent that does not exist, or refuses its configuration, would attach nothing, and say nothing. */
export function agentProblems({ tenants }: Pick<Config, 'tenants'>, agents: Registry): InputProblem[] {
  const known = agents.list().map(({ key }) => key);
  const unknown = (path: string, agent: string) => ({
    path,
    message: `there is no agent ${agent}; there are ${known.join(', ')}`,
  });
  return Object.entries(tenants).flatMap(([tenant, { autoAttach, agents: policies }]) => [
    ...autoAttach.flatMap(({ agent: key, config }, at) => {
      const path = `tenants.${tenant}.autoAttach.${at}`;
      const agent = agents.get(key);
      if (agent === undefined) return [unknown(`${path}.agent`, key)];
      const issues = agent.config.safeParse(config).error?.issues ?? [];
      return issues.map((issue) => ({ path: [`${path}.config`, ...issue.path].join('.'), message: issue.message }));
    }),
    ...Object.keys(policies)
      .filter((key) => agents.get(key) === undefined)
      .map((key) => unknown(`tenants.${tenant}.agents.${key}`, key)),
  ]);
}

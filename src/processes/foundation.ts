/** What a worker and a server both stand on: the desk, the agents, the channels, the log. */
import { createHolidayCalendar } from '../activities/holiday-calendar.ts';
import { createRegistry, type Registry } from '../agents/registry.ts';
import { createChannels, type Channels } from '../channels/registry.ts';
import type { Config } from '../config.ts';
import { ConfigError } from '../config/config-error.ts';
import { subscribed } from '../config/webhook-endpoints.ts';
import type { InputProblem } from '../domain/errors.ts';
import type { Desk } from '../desk/desk.ts';
import { openDesk } from '../desk/open-desk.ts';
import type { OnErpCall } from '../erp/call-times.ts';
import type { Erps } from '../erp/erp.ts';
import { createErps } from '../erp/registry.ts';
import { agentProblems } from './agent-problems.ts';
import { createLogger, type Logger } from '../telemetry/logger.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';

export interface Foundation {
  readonly config: Config;
  readonly desk: Desk;
  readonly agents: Registry;
  readonly channels: Channels;
  readonly erps: Erps;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** `agents`: default, the built-in ones. @throws {ConfigError} for an agent nobody knows, or a configuration it refuses. @throws {DeskLockedError} @throws {DatabaseUnreachableError} */
export async function openFoundation(config: Config, agents: Registry = createRegistry()): Promise<Foundation> {
  const problems = [...agentProblems(config, agents), ...(await countryProblems(config))];
  if (problems.length > 0) throw new ConfigError(problems);
  const { database, dataDir, tenants } = config;
  const desk = await openDesk({
    ...(database.kind === 'postgres' ? { databaseUrl: database.url } : {}),
    dataDir,
    subscribers: (tenant, type) => subscribed(tenants[tenant]?.webhooks ?? [], type),
  });
  const metrics = createMetrics();
  const onCall: OnErpCall = (call) => metrics.dependencyCalled({ dependency: 'erp', ...call });
  return {
    config,
    desk,
    agents,
    channels: createChannels(tenants),
    erps: createErps({ tenants, database: desk.database, limits: desk.limits, onCall }),
    log: createLogger(config),
    metrics,
  };
}

/** A country without a calendar would keep no holiday, and say nothing. Loads the calendars only if one is named. */
async function countryProblems({ tenants }: Config): Promise<InputProblem[]> {
  const named = Object.entries(tenants).flatMap(([tenant, { country, agents }]) => [
    { path: `tenants.${tenant}.country`, country },
    ...Object.entries(agents).map(([agent, { policy }]) => ({
      path: `tenants.${tenant}.agents.${agent}.policy.country`,
      country: policy.country,
    })),
  ]);
  const calendar = createHolidayCalendar();
  const problems: InputProblem[] = [];
  for (const { path, country } of named)
    if (country !== undefined && !(await calendar.knows(country)))
      problems.push({
        path,
        message: `there is no calendar of holidays for ${country}; name the country alone, such as BR`,
      });
  return problems;
}

/** Lists and counts over Temporal's visibility: eventually consistent, unsorted, good for dashboards, never for claims. */
import type { Client } from '@temporalio/client';
import { parseAgentKey, parseSubject, parseTenantId } from '../domain/ids.ts';
import type { RunSummary } from '../domain/schemas/runs.ts';
import { RUN_STATUSES, type RunStatus } from '../domain/statuses.ts';
import { AGENT_RUN } from '../workflows/messages.ts';
import { runFromDescription } from './descriptions.ts';
import { instant, refused } from './names.ts';
import { DEADLINES, reach } from './rpc.ts';

export interface RunListFilter {
  readonly tenant: string;
  readonly status?: RunStatus;
  readonly agent?: string;
  readonly subject?: string;
  /** ISO-8601 UTC: IN_PROGRESS and due at or before then. */
  readonly dueBefore?: string;
  /** Default 50. */
  readonly limit?: number;
}

export async function listRuns(client: Client, filter: RunListFilter): Promise<RunSummary[]> {
  const limit = filter.limit ?? 50;
  if (!Number.isInteger(limit) || limit < 1) throw refused('limit', 'must be a whole number, 1 or more');
  return reach(client, DEADLINES.visibility, async () => {
    const runs: RunSummary[] = [];
    for await (const info of client.workflow.list({ query: visibilityQuery(filter), pageSize: limit })) {
      runs.push(runFromDescription({ ...info, firstRunId: info.raw.firstRunId }).run);
      if (runs.length >= limit) break;
    }
    return runs;
  });
}

/** One count per status: visibility cannot group by our own attributes. */
export async function countRuns(client: Client, tenant: string): Promise<Record<RunStatus, number>> {
  const counts = await Promise.all(
    RUN_STATUSES.map(async (status) => {
      const query = visibilityQuery({ tenant, status });
      return [status, (await reach(client, DEADLINES.visibility, () => client.workflow.count(query))).count] as const;
    }),
  );
  return Object.fromEntries(counts) as Record<RunStatus, number>;
}

/** Every value is parsed first: the grammar of ids holds no quote, so none can leave its place. @throws {InvalidIdError | InvalidInputError} */
function visibilityQuery(filter: RunListFilter): string {
  const clauses = [
    `WorkflowType = '${AGENT_RUN}'`,
    `AttacheTenant = '${parseTenantId(filter.tenant)}'`,
    `ExecutionStatus != 'ContinuedAsNew'`,
  ];
  const status = filter.dueBefore === undefined ? filter.status : 'IN_PROGRESS';
  if (status !== undefined && !RUN_STATUSES.includes(status))
    throw refused('status', `must be one of ${RUN_STATUSES.join(', ')}`);
  if (status !== undefined) clauses.push(`AttacheStatus = '${status}'`);
  if (status === 'IN_PROGRESS') clauses.push(`ExecutionStatus = 'Running'`);
  if (filter.agent !== undefined) clauses.push(`AttacheAgent = '${parseAgentKey(filter.agent)}'`);
  if (filter.subject !== undefined) clauses.push(`AttacheSubject = '${parseSubject(filter.subject)}'`);
  if (filter.dueBefore !== undefined) clauses.push(`AttacheNextRunAt <= '${instant('dueBefore', filter.dueBefore)}'`);
  return clauses.join(' AND ');
}

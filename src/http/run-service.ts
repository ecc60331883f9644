/** Reading runs and attaching new ones: the desk and Temporal as one. */
import type { Agent } from '../agents/define-agent.ts';
import { NotAttachedError, NoWorkerError, type Attached } from '../client.ts';
import { attachAfterEnd } from '../client/attach-after-end.ts';
import type { Page, RunCondition, RunCounts, RunFilter, TimelineEntry } from '../desk/desk.ts';
import {
  ANSWERING_SLOT,
  BUSINESS,
  runName,
  type AttachmentId,
  type RunRef,
  type Slot,
  type TenantId,
} from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import { nextRunSteps } from '../domain/next-wake.ts';
import { isEnding } from '../domain/statuses.ts';
import type { AttachRequest, OneRun, Run, RunSummary } from '../domain/schemas/runs.ts';
import type { HttpDeps } from './deps.ts';
import { aheadOrAtOnce } from './due-times.ts';
import { invalidInput, isDatabaseOutage } from './faults.ts';
import { invalidField, ProblemError } from './problems.ts';
import { listed, recordFromSummary, runFromDesk, runFromSummary, summaryOf } from './run-views.ts';

export type RunServiceDeps = Pick<HttpDeps, 'desk' | 'runs' | 'agents' | 'tenants' | 'log'>;

export class RunService {
  private readonly deps: RunServiceDeps;

  constructor(deps: RunServiceDeps) {
    this.deps = deps;
  }

  /**
   * The latest attachment of this name, or the one named by `id`: the run itself is asked, then the desk, then Temporal.
   * @throws {ProblemError} `run_not_found`
   */
  async get(ref: RunRef, id?: string): Promise<Run> {
    const run = await this.find(ref, id);
    if (run !== null) return run;
    const which = id === undefined ? '' : ` with the id ${id}`;
    throw new ProblemError('run_not_found', `nothing is or was attached as ${runName(ref)}${which}`);
  }

  async find(ref: RunRef, id?: string): Promise<Run | null> {
    const { desk, runs } = this.deps;
    const stored = id === undefined ? null : await desk.runs.get({ ...ref, id });
    if (stored !== null && stored.endedAt !== null) return runFromDesk(stored);
    let answered = true;
    try {
      const run = await runs.view(ref);
      if (id === undefined || run.id === id) return (await this.asLost(ref, run)) ?? run;
    } catch (error) {
      if (!(error instanceof NotAttachedError || error instanceof NoWorkerError)) throw error;
      answered = error instanceof NotAttachedError;
    }
    return this.unasked(ref, { id, isNotThere: answered });
  }

  /** Of a run that gives no answer, or `isNotThere`: from the desk, then from Temporal. */
  async unasked(
    ref: RunRef,
    { id, isNotThere }: { id?: string | undefined; isNotThere: boolean },
  ): Promise<Run | null> {
    const { desk, runs } = this.deps;
    const record = await desk.runs.get(id === undefined ? ref : { ...ref, id });
    if (record !== null && (isNotThere || record.endedAt === null)) return runFromDesk(record);
    // No worker, and the desk knows only an older attachment or none: Temporal knows whether there is a newer one.
    const described = await runs.describe(ref).catch(() => null);
    if (described !== null && described.attachment !== record?.id && (id === undefined || id === described.attachment))
      return runFromSummary(described.run);
    return record === null ? null : runFromDesk(record);
  }

  /** A workflow that was terminated answers for ever as it last stood; the desk knows that it is gone. */
  private async asLost(ref: RunRef, { id, status }: Run): Promise<Run | null> {
    if (status !== 'IN_PROGRESS') return null;
    const stored = await this.deps.desk.runs.get({ ...ref, id }).catch(() => null);
    return stored === null || stored.endedAt === null ? null : runFromDesk(stored);
  }

  async list(filter: RunFilter): Promise<Page<ReturnType<typeof listed>>> {
    const { items, nextCursor } = await this.deps.desk.runs.list(filter);
    return { items: items.map(listed), nextCursor };
  }

  async counts(condition: RunCondition): Promise<RunCounts> {
    return this.deps.desk.runs.counts(condition);
  }

  /** With the steps to its next wake-up. Without the desk they are told from the run alone. */
  async explained(ref: RunRef, id?: string): Promise<OneRun> {
    const run = await this.get(ref, id);
    if (run.nextRunAt === null) return { ...run, nextRunSteps: [] };
    const latest = await this.deps.desk.runs.latest(run.id as AttachmentId).catch((error: unknown) => {
      if (isDatabaseOutage(error)) return { ticks: [], acts: [] };
      throw error;
    });
    return { ...run, nextRunSteps: nextRunSteps(run, latest) };
  }

  async timeline(
    ref: RunRef,
    { id, ...page }: { readonly id?: string; readonly limit?: number; readonly cursor?: string },
  ): Promise<Page<TimelineEntry>> {
    const run = await this.get(ref, id);
    return this.deps.desk.runs.timeline(run.id as AttachmentId, page);
  }

  /** @throws {ProblemError} `already_attached` with the existing run, `still_ending`, and what is wrong with the request. */
  /** Where a run would be attached, `business/stockout`; by the agent's own name where nobody knows its slot. */
  placeOf({ subject, slot, agent }: AttachRequest): string {
    return `${subject}/${slot ?? this.deps.agents.get(agent)?.slot ?? agent}`;
  }

  async attach(tenant: TenantId, request: AttachRequest, actor: string): Promise<Run> {
    const agent = this.agentFor(tenant, request);
    const slot = slotFor(agent, request);
    const ref: RunRef = { tenant, subject: request.subject, slot };
    const config = checkedConfig(agent, request);
    const firstRunAt = aheadOrAtOnce('firstRunAt', request.firstRunAt);
    // The desk is asked before anything is started: without it nothing may be.
    await this.deps.desk.runs.get(ref);
    const attached = await attachAfterEnd(this.deps.runs, {
      ...ref,
      agent: agent.key,
      config,
      topics: request.topics,
      actor,
      comment: request.reason,
      firstRunAt,
    });
    if (attached.attached) return this.record(attached, { config, topics: request.topics ?? [] });
    if (isEnding(attached.run)) throw stillEnding(attached.run);
    throw new ProblemError(
      'already_attached',
      `${attached.run.agent} is attached as ${runName(ref)} since ${attached.run.attachedAt}; detach it first, or leave it be`,
      { members: { run: await this.known(ref, attached.run) } },
    );
  }

  /** Prepare writes the same, first writer wins: a desk that fails now undoes nothing. Whose the conversation is, prepare alone says: by now the run may have ended. */
  private async record({ run }: Attached, asked: Parameters<typeof recordFromSummary>[1]): Promise<Run> {
    const { desk, log } = this.deps;
    const record = recordFromSummary(run, asked);
    try {
      await desk.runs.insertIfAbsent(record, 'attach');
    } catch (error) {
      if (!isDatabaseOutage(error)) throw error;
      log.warn(
        { workflowId: run.workflowId, error: String(error) },
        'attached, but the desk could not be told; the run will tell it',
      );
    }
    return runFromDesk(record);
  }

  /** The desk knows more of a run than Temporal tells of it: who attached it, how often it has ticked. */
  private async known(ref: RunRef, run: RunSummary): Promise<RunSummary> {
    return summaryOf((await this.deps.desk.runs.get({ ...ref, id: run.id })) ?? run);
  }

  private agentFor(tenant: TenantId, request: AttachRequest): Agent {
    const names = this.deps.agents.list().map(({ key }) => key);
    const agent = this.deps.agents.get(request.agent);
    if (agent === undefined)
      throw invalidField('agent', `there is no agent ${request.agent}; there are ${names.join(', ')}`, 'unknown_agent');
    const kind = request.subject === BUSINESS ? 'business' : 'conversation';
    if (agent.attachesTo !== kind)
      throw invalidField(
        'subject',
        agent.attachesTo === 'business'
          ? `${agent.key} attaches to business`
          : `${agent.key} attaches to a conversation: conversation/{id}`,
      );
    if (agent.erp && !this.deps.tenants.hasErp(tenant))
      throw invalidField(
        'agent',
        `${agent.key} reads the tenant's ERP; name one as tenants.${tenant}.erp in attache.config.json`,
      );
    return agent;
  }
}

/** Only answering agents hold the answering slot, and they hold no other: two can never answer one conversation. */
function slotFor(agent: Agent, request: AttachRequest): Slot {
  const slot = request.slot ?? agent.slot;
  if (agent.answers && slot !== ANSWERING_SLOT)
    throw invalidField('slot', `${agent.key} answers customers, so its slot is ${ANSWERING_SLOT}`);
  if (!agent.answers && slot === ANSWERING_SLOT)
    throw invalidField('slot', `${ANSWERING_SLOT} is for agents that answer customers, which ${agent.key} does not`);
  return slot;
}

function checkedConfig(agent: Agent, request: AttachRequest): JsonObject {
  const config = request.config ?? {};
  const parsed = agent.config.safeParse(config);
  if (!parsed.success) throw invalidInput(parsed.error, 'config', 'invalid_config');
  return config;
}

export function stillEnding(run: RunSummary): ProblemError {
  return new ProblemError(
    'still_ending',
    'the last effects of the run before are still being finished; try again in a moment',
    { retryAfterSeconds: 5, members: { run: summaryOf(run) } },
  );
}

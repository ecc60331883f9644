/** The first thing a run does: is what it was attached with valid, and what follows from it? */
import { ApplicationFailure } from '@temporalio/common';
import type { z } from 'zod';
import type { Agent } from '../agents/define-agent.ts';
import type { ConversationRecord, RunRecord } from '../desk/desk.ts';
import { ms } from '../domain/durations.ts';
import { concernsRuns, refOf } from '../domain/event-refs.ts';
import { ANSWERING_SLOT, BUSINESS, conversationOf, type Topic } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import { ASKED_AT_ATTACH, ATTACHED, FIRST_RUN, SPREAD_BY_JITTER } from '../domain/next-run-why.ts';
import { MAX_INTERVAL_MS } from '../domain/outcomes.ts';
import { problemsOf, problemText } from '../domain/schemas/issues.ts';
import { PolicyOverride, resolvePolicy } from '../domain/schemas/policy.ts';
import { GivenAtAttach } from '../domain/schemas/runs.ts';
import type { Prepared, PrepareInput } from '../workflows/activity-types.ts';
import type { PreparedAgent } from '../workflows/run-data.ts';
import type { ActivityDeps } from './deps.ts';
import { UNKNOWN_AGENT, UNKNOWN_AGENT_PAUSE_MS } from './failures.ts';

/** Unanswered messages a new attachment reads at most; older ones are in the transcript. */
const UNANSWERED_LIMIT = 100;

/** Events of its topics that came while it was being attached: more than a handful is a flood. */
const NEWS_LIMIT = 100;

type Refused = Extract<Prepared, { result: 'refused' }>;
const TAKEN: Refused = {
  result: 'refused',
  status: 'EXITED_ON_OUTBOUND',
  reason: 'taken_over',
  comment: 'a human holds the conversation',
};

const CLOSED: Refused = { ...TAKEN, reason: 'closed_by_human', comment: 'the conversation is closed' };

export async function prepare(deps: ActivityDeps, { run, attach }: PrepareInput): Promise<Prepared> {
  const given = GivenAtAttach.safeParse(attach);
  if (!given.success) return invalid(wordsOf('', given.error));
  const topics = given.data.topics ?? [];
  const agent = deps.agents.get(run.agent);
  if (agent === undefined) throw await unknown(deps, { run, attach });
  const tenant = deps.tenant(run.tenant);
  if (tenant === undefined) return invalid(`tenant ${run.tenant} is not in the configuration`);
  if ((run.subject === BUSINESS) !== (agent.attachesTo === 'business'))
    return invalid(`${agent.key} attaches to a ${agent.attachesTo}`);
  if (agent.erp && deps.erps.of(run.tenant) === undefined)
    return invalid(`tenants.${run.tenant}.erp is not in the configuration, and ${agent.key} reads the tenant's ERP`);
  const made = beginning(agent, attach.config ?? {}, tenant.policies[agent.key] ?? {});
  if ('problem' in made) return invalid(made.problem);
  const { prepared } = made;
  const state = (await stateBefore(deps, { run, attach, agent })) ?? made.state;

  const owner = await claimConversation(deps, run, attach);
  if (owner !== null) return owner;

  const plan = firstRun(deps, { agent: prepared, firstRunAt: attach.firstRunAt, seed: run.attachment });
  // The row first, the events after: whichever of this and an arriving event comes second sees the other.
  const { version: agentVersion } = agent;
  const { config, policy } = prepared;
  const follows = [...new Set([...agent.topics, ...topics])];
  const known = { agentVersion, ...plan, config, state, policy };
  const isNew = await deps.desk.runs.insertIfAbsent(firstRow({ run, attach }, { ...known, topics }), begunBy(attach));
  if (!isNew || follows.length > 0)
    await deps.desk.runs.recordPrepared({ topics: follows, attachment: run.attachment, ...known });
  const unanswered = await deps.desk.events.unanswered({
    tenant: run.tenant,
    subject: run.subject,
    limit: UNANSWERED_LIMIT,
  });
  const news = follows.length > 0 ? await followedSinceAttach(deps, run) : [];
  const events = [...unanswered, ...news].sort((a, b) => a.seq - b.seq);
  return { result: 'ready', agent: prepared, state, ...plan, events: events.filter(concernsRuns).map(refOf) };
}

function followedSinceAttach({ desk }: ActivityDeps, { tenant, attachment }: PrepareInput['run']) {
  return desk.events.followedSinceAttach({ tenant, attachment, limit: NEWS_LIMIT });
}

function firstRow(
  { run, attach }: PrepareInput,
  known: Pick<RunRecord, 'agentVersion' | 'nextRunAt' | 'nextRunWhy' | 'config' | 'state' | 'policy'> & {
    readonly topics: readonly Topic[];
  },
): RunRecord {
  const { attachment: id, tenant, subject, slot, agent, attachedAt, workflowId } = run;
  return {
    ...{ id, tenant, subject, slot, agent, attachedAt, workflowId },
    status: 'IN_PROGRESS',
    reason: null,
    phase: 'asleep',
    endedAt: null,
    ticks: 0,
    failures: 0,
    actor: attach.actor,
    comment: attach.comment ?? null,
    ...known,
  };
}

/** Attached over Temporal alone or by a rule, nobody else writes it down. */
function begunBy({ handedBack }: PrepareInput['attach']): 'attach' | 'handback' {
  return handedBack == null ? 'attach' : 'handback';
}

/** What the run begins with; or what is wrong, in the config, in the tenant's policy or in the agent itself. */
function beginning(
  agent: Agent,
  given: unknown,
  override: object,
): { readonly prepared: PreparedAgent; readonly state: JsonObject } | { readonly problem: string } {
  const config = agent.config.safeParse(given);
  if (!config.success) return { problem: wordsOf('config', config.error) };
  const policy = PolicyOverride.safeParse(override);
  if (!policy.success) return { problem: wordsOf('policy', policy.error) };
  try {
    const prepared = preparedAgent(agent, config.data as JsonObject, override);
    return { prepared, state: agent.state.parse(agent.initialState(prepared.config)) as JsonObject };
  } catch (error) {
    return { problem: `the first state of ${agent.key}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** After a human's stretch an agent goes on from what it knew. Null: a first attachment, or its state no longer fits. */
async function stateBefore(
  deps: ActivityDeps,
  { run, attach: { handedBack }, agent }: PrepareInput & { readonly agent: Agent },
): Promise<JsonObject | null> {
  if (handedBack === undefined) return null;
  const { tenant, subject, slot } = run;
  const before = await deps.desk.runs.get({ tenant, subject, slot, id: handedBack.previous });
  if (before === null || before.agent !== run.agent || before.agentVersion === null) return null;
  const { agentVersion: version, state } = before;
  try {
    return agent.state.parse(version < agent.version ? agent.migrate({ version, state }) : state) as JsonObject;
  } catch {
    return null;
  }
}

/** The agent as the run carries it. @throws {z.ZodError} when an override of the policy does not fit. */
export function preparedAgent(agent: Agent, config: JsonObject, override: object): PreparedAgent {
  return {
    version: agent.version,
    model: agent.model,
    wakeOn: agent.wakeOn,
    config,
    policy: resolvePolicy(agent.policy, override),
  };
}

/**
 * Attaching by name hands the conversation to the agent; a rule never takes one from a human. Either way, a human who
 * came in since the attachment keeps it. Once the run has ended nothing is handed over: a preparation may outlive a detach.
 */
async function claimConversation(
  deps: ActivityDeps,
  run: PrepareInput['run'],
  { origin, handedBack }: PrepareInput['attach'],
): Promise<Refused | null> {
  const id = conversationOf(run.subject);
  if (id === undefined) return null;
  const conversation = await deps.desk.conversations.get(run.tenant, id);
  // Closed between the request and now: there is nothing to give back.
  if (handedBack !== undefined && conversation?.closedAt != null) return CLOSED;
  const held = conversation?.owner === 'human' && (origin === 'rule' || heldSince(conversation, run.attachedAt));
  if (held) return TAKEN;
  // Only whoever answers holds a conversation: a reminder beside a human takes it from nobody.
  if (run.slot !== ANSWERING_SLOT) return null;
  const { tenant, agent, attachedAt, attachment } = run;
  const unlessHumanSince = origin === 'rule' ? EVER : attachedAt;
  const claim = {
    tenant,
    id,
    owner: 'agent',
    by: agent,
    at: attachedAt,
    unlessHumanSince,
    whileLive: attachment,
  } as const;
  return (await deps.desk.conversations.setOwner(claim)) ? null : TAKEN;
}

/** Before any human. */
const EVER = '1970-01-01T00:00:00.000Z';

function heldSince(conversation: ConversationRecord, attachedAt: string): boolean {
  return conversation.ownerSince >= attachedAt;
}

function firstRun(deps: ActivityDeps, of: { agent: PreparedAgent; firstRunAt: string | undefined; seed: string }) {
  const now = deps.clock();
  if (of.firstRunAt !== undefined) {
    const at = Math.min(Date.parse(of.firstRunAt), now + MAX_INTERVAL_MS);
    return { nextRunAt: new Date(at).toISOString(), nextRunWhy: ASKED_AT_ATTACH };
  }
  const spread = Math.floor(seeded(of.seed) * ms(of.agent.policy.jitter));
  return {
    nextRunAt: new Date(now + spread).toISOString(),
    nextRunWhy: spread > 0 ? SPREAD_BY_JITTER : FIRST_RUN,
  };
}

/** 0 to 1, the same for the same seed (FNV-1a): a retried prepare plans the same instant. */
function seeded(seed: string): number {
  let hash = 2_166_136_261;
  for (const char of seed) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619);
  return (hash >>> 0) / 2 ** 32;
}

function invalid(problem: string): Refused {
  const comment = problem.slice(0, 1_000);
  return { result: 'refused', status: 'REMOVED_BY_SYSTEM', reason: 'invalid_config', comment };
}

function wordsOf(field: string, error: z.ZodError): string {
  return problemsOf(error, field).map(problemText).join('; ');
}

/** Perhaps a newer worker knows it: retried until one does or the run is detached; meanwhile people see why nothing happens. */
async function unknown({ desk }: ActivityDeps, { run, attach }: PrepareInput): Promise<ApplicationFailure> {
  const message = `no worker here knows the agent ${run.agent}`;
  const asked = { nextRunAt: attach.firstRunAt ?? run.attachedAt, nextRunWhy: ATTACHED, topics: [] };
  const row = firstRow({ run, attach }, { ...asked, agentVersion: null, config: {}, state: {}, policy: null });
  await desk.runs.insertIfAbsent(row, begunBy(attach));
  await desk.runs.recordHeldUp({ attachment: run.attachment, why: message });
  return ApplicationFailure.create({ message, type: UNKNOWN_AGENT, nextRetryDelay: UNKNOWN_AGENT_PAUSE_MS });
}

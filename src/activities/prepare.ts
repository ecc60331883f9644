/** The first thing a run does: is what it was attached with valid, and what follows from it? */
import { ApplicationFailure } from '@temporalio/common';
import type { z } from 'zod';
import type { Agent } from '../agents/define-agent.ts';
import type { ConversationRecord } from '../desk/desk.ts';
import { ms } from '../domain/durations.ts';
import { concernsRuns, refOf } from '../domain/event-refs.ts';
import { ANSWERING_SLOT, BUSINESS, conversationOf, NAME_PATTERN, NAME_RULE, type Topic } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import { MAX_INTERVAL_MS } from '../domain/outcomes.ts';
import { problemsOf, problemText } from '../domain/schemas/issues.ts';
import { Policy, resolvePolicy } from '../domain/schemas/policy.ts';
import type { Prepared, PrepareInput } from '../workflows/activity-types.ts';
import type { PreparedAgent } from '../workflows/run-data.ts';
import type { ActivityDeps } from './deps.ts';
import { UnknownAgentError } from './failures.ts';

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
  const agent = deps.agents.get(run.agent);
  // Perhaps a newer worker knows it: retried until one does, or until the run is detached.
  if (agent === undefined) throw unknown(run.agent);
  const tenant = deps.tenant(run.tenant);
  if (tenant === undefined) return invalid(`tenant ${run.tenant} is not in the configuration`);
  if ((run.subject === BUSINESS) !== (agent.attachesTo === 'business'))
    return invalid(`${agent.key} attaches to a ${agent.attachesTo}`);
  if (agent.erp && deps.erps.of(run.tenant) === undefined)
    return invalid(`tenants.${run.tenant}.erp is not in the configuration, and ${agent.key} reads the tenant's ERP`);
  if (attach.firstRunAt !== undefined && Number.isNaN(Date.parse(attach.firstRunAt)))
    return invalid('firstRunAt must be an ISO-8601 instant in UTC');
  const topics = attach.topics ?? [];
  const wrong = topics.find((topic) => !NAME_PATTERN.test(topic));
  if (wrong !== undefined) return invalid(`topics: "${wrong.slice(0, 60)}" must be ${NAME_RULE}`);
  const made = beginning(agent, attach.config ?? {}, tenant.policies[agent.key] ?? {});
  if ('problem' in made) return invalid(made.problem);
  const { prepared } = made;
  const state = (await stateBefore(deps, { run, attach, agent })) ?? made.state;

  const owner = await claimConversation(deps, run, attach);
  if (owner !== null) return owner;

  const plan = firstRun(deps, { agent: prepared, firstRunAt: attach.firstRunAt, seed: run.attachment });
  // The row first, the events after: whichever of this and an arriving event comes second sees the other.
  await deps.desk.runs.insertIfAbsent({
    id: run.attachment,
    tenant: run.tenant,
    subject: run.subject,
    slot: run.slot,
    agent: run.agent,
    agentVersion: agent.version,
    status: 'IN_PROGRESS',
    reason: null,
    phase: 'asleep',
    actor: attach.actor,
    comment: attach.comment ?? null,
    attachedAt: run.attachedAt,
    endedAt: null,
    ...plan,
    ticks: 0,
    failures: 0,
    workflowId: run.workflowId,
    config: prepared.config,
    state,
    policy: prepared.policy,
    topics: topics as readonly Topic[],
  });
  await deps.desk.runs.recordPrepared({
    topics: [...new Set([...agent.topics, ...(topics as readonly Topic[])])],
    attachment: run.attachment,
    agentVersion: agent.version,
    config: prepared.config,
    state,
    policy: prepared.policy,
    ...plan,
  });
  const unanswered = await deps.desk.events.unanswered({
    tenant: run.tenant,
    subject: run.subject,
    limit: UNANSWERED_LIMIT,
  });
  const news = await deps.desk.events.followedSince({
    tenant: run.tenant,
    attachment: run.attachment,
    since: run.attachedAt,
    limit: NEWS_LIMIT,
  });
  const events = [...unanswered, ...news].sort((a, b) => a.seq - b.seq);
  return { result: 'ready', agent: prepared, state, ...plan, events: events.filter(concernsRuns).map(refOf) };
}

/** What the run begins with; or what is wrong, in the config, in the tenant's policy or in the agent itself. */
function beginning(
  agent: Agent,
  given: unknown,
  override: object,
): { readonly prepared: PreparedAgent; readonly state: JsonObject } | { readonly problem: string } {
  const config = agent.config.safeParse(given);
  if (!config.success) return { problem: wordsOf('config', config.error) };
  const policy = Policy.partial().safeParse(override);
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
  const old = { version: before.agentVersion, state: before.state };
  const state = agent.state.safeParse(before.agentVersion < agent.version ? agent.migrate(old) : old.state);
  return state.success ? (state.data as JsonObject) : null;
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
 * came in since the attachment keeps it. So does nobody, once the run has ended: a preparation may outlive a detach.
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
    return { nextRunAt: new Date(at).toISOString(), nextRunWhy: 'first run, asked for at the attach' };
  }
  const spread = Math.floor(seeded(of.seed) * ms(of.agent.policy.jitter));
  return {
    nextRunAt: new Date(now + spread).toISOString(),
    nextRunWhy: spread > 0 ? 'first run, spread by jitter' : 'first run',
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

function unknown(agent: string): ApplicationFailure {
  const error = new UnknownAgentError(`no worker here knows the agent ${agent}`);
  return ApplicationFailure.create({ message: error.message, type: error.name, nextRetryDelay: '10s' });
}

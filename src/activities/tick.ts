/** One wake-up: read, let the agent think, check what it decided, write it down, return it. Acts on nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { checkOutcome } from '../agents/outcomes.ts';
import { withTickContext } from '../agents/tick-context.ts';
import type { Agent, Tick } from '../agents/define-agent.ts';
import type { ConversationRecord, Runs, TickRecord } from '../desk/desk.ts';
import { formatDuration, ms } from '../domain/durations.ts';
import { framesOf } from '../domain/stack-frames.ts';
import { conversationOf, type AgentKey } from '../domain/ids.ts';
import { instant } from '../domain/instants.ts';
import type { JsonObject } from '../domain/json.ts';
import { ASKED_BY_AGENT, failedSo, postponedFor } from '../domain/next-run-why.ts';
import type { Outcome } from '../domain/outcomes.ts';
import { postponedBy } from '../domain/postponement.ts';
import {
  PROVIDER_OUTAGE,
  TICK_FAULT,
  type FailureDetail,
  type TickInput,
  type TickResult,
} from '../workflows/activity-types.ts';
import type { PreparedAgent } from '../workflows/run-data.ts';
import type { ActivityDeps } from './deps.ts';
import { fromDesk } from './desk-outage.ts';
import { CRASH_LIMIT, crashLoop, tickFailure, TickTimeoutError, UNKNOWN_AGENT, UnknownAgentError } from './failures.ts';
import { alive } from './heartbeat.ts';
import { preparedAgent } from './prepare.ts';
import { recordTakenBack } from './records.ts';
import { tickView, unreadable } from './tick-view.ts';
import { showTyping } from './typing.ts';

/** Thinking for as long shows in lists, for one more write. */
const TOLD_AFTER_MS = 1_000;

/** @throws {ApplicationFailure} of the kind `failures.ts` decides. */
export async function tick(deps: ActivityDeps, input: TickInput): Promise<TickResult> {
  const context = Context.current();
  const startedAt = deps.clock();
  const attempt = new TickAttempt(deps, input, startedAt);
  return alive(context, async (crashes) => {
    if (crashes >= CRASH_LIMIT) throw crashLoop(crashes);
    try {
      return await attempt.run(context.cancellationSignal);
    } catch (error) {
      const shuttingDown = context.cancellationDetails?.workerShutdown === true;
      // Whatever an agent makes of being interrupted, it is no failure of its own.
      if (context.cancellationSignal.aborted && !shuttingDown) throw new CancelledFailure('the wake-up was cancelled');
      const failure = tickFailure(error, {
        number: context.info.attempt,
        sinceScheduledMs: startedAt - context.info.scheduledTimestampMs,
        shuttingDown,
      });
      await attempt.recordFailure(failure, error);
      throw failure;
    }
  });
}

interface Thinking {
  readonly agent: Agent;
  readonly prepared: PreparedAgent;
  readonly conversation: ConversationRecord | null;
  readonly cancelled: AbortSignal;
}

/** How a wake-up went; `decided`: what the agent made of it. */
interface Recorded {
  readonly outcome: TickRecord['outcome'];
  readonly decided: Outcome | undefined;
  readonly isPostponed: boolean;
  readonly endedAt: number;
}
type RunChange = Parameters<Runs['recordTick']>[0]['run'];

class TickAttempt {
  private readonly deps: ActivityDeps;
  private readonly input: TickInput;
  private readonly startedAt: number;

  constructor(deps: ActivityDeps, input: TickInput, startedAt: number) {
    this.deps = deps;
    this.input = input;
    this.startedAt = startedAt;
  }

  async run(cancelled: AbortSignal): Promise<TickResult> {
    const { deps, input } = this;
    const { run } = input;
    const agent = deps.agents.get(run.agent);
    if (agent === undefined || agent.version < input.agent.version)
      throw new UnknownAgentError(`no worker here knows the agent ${run.agent} in version ${input.agent.version}`);
    const which = { tenant: run.tenant, agent: run.agent, conversation: conversationOf(run.subject) ?? null };
    const { conversation, off } = await fromDesk(deps.desk.conversations.sightOfRun(which));
    if (off !== null) {
      await this.record({ kind: 'switched_off', by: off.by });
      return { result: 'switched_off', by: off.by, comment: off.reason };
    }
    const prepared = agent.version === input.agent.version ? input.agent : this.renewed(agent);
    const outcome = await this.think({ agent, prepared, conversation, cancelled });
    // A cancelled attempt leaves no trace: another one decides.
    if (cancelled.aborted) throw new CancelledFailure('the wake-up was cancelled');
    for (const taken of input.cancelled) await fromDesk(recordTakenBack(deps, input.run, taken));
    await this.record(summaryOf(outcome), { decided: outcome });
    return prepared === input.agent ? { result: 'outcome', outcome } : { result: 'outcome', outcome, agent: prepared };
  }

  /** A fault, or an outage that postpones the run, is written down as a tick; else the wake-up goes on, or waits for another worker. */
  async recordFailure(failure: Error, thrown: unknown): Promise<void> {
    if (!(failure instanceof ApplicationFailure)) return;
    if (failure.type === UNKNOWN_AGENT) return this.recordHeldUp(failure.message);
    if (failure.nonRetryable !== true) return;
    if (failure.type !== TICK_FAULT && failure.type !== PROVIDER_OUTAGE) return;
    const [detail] = failure.details as FailureDetail[];
    if (detail === undefined) return;
    const { run, tick: number } = this.input;
    if (failure.type === PROVIDER_OUTAGE)
      this.deps.log.warn({ run: run.workflowId, tick: number }, 'an outage postpones a run');
    // What it said may hold a customer's words: that is in the desk, under this run and tick.
    else
      this.deps.log.warn(
        { run: run.workflowId, tick: number, fault: detail.fault, at: framesOf(thrown) },
        'an agent failed in its tick; attache show --timeline has what it said',
      );
    try {
      await this.record({ kind: 'failed', ...detail }, { isPostponed: failure.type === PROVIDER_OUTAGE });
    } catch {
      // The run knows, and counts it; thinking it all again would not mend the desk.
      this.deps.log.error(
        { run: this.input.run.workflowId, tick: this.input.tick },
        'a failed tick is not in the desk',
      );
    }
  }

  private async recordHeldUp(why: string): Promise<void> {
    const { attachment } = this.input.run;
    // Tried again soon, and said again then.
    await this.deps.desk.runs.recordHeldUp({ attachment, why }).catch(() => undefined);
  }

  private async think({ agent, prepared, conversation, cancelled }: Thinking): Promise<Outcome> {
    const { deps, input } = this;
    const tenant = deps.tenant(input.run.tenant);
    if (tenant === undefined)
      throw new UnknownAgentError(`tenant ${input.run.tenant} is not in this worker's configuration`);
    const timeout = ms(prepared.policy.tickTimeout);
    const deadline = new AbortController();
    const done = new AbortController();
    const late = () => new TickTimeoutError(`longer than ${formatDuration(timeout)}`);
    const timer = setTimeout(() => deadline.abort(late()), timeout);
    try {
      const signal = AbortSignal.any([cancelled, deadline.signal]);
      const view = await tickView(deps, { input, agent, prepared, conversation, tenant, now: this.startedAt, signal });
      const ignoresHumans = prepared.policy.onHumanMessage === 'ignore';
      const of = { state: agent.state, dueAt: input.dueAt, begunAt: this.startedAt };
      const context = { ...of, clock: deps.clock, ignoresHumans };
      void this.tellThatItThinks(done.signal);
      void this.typing({ agent, conversation, prepared }, view, AbortSignal.any([signal, done.signal]));
      const thinking = withTickContext(context, async () => checkOutcome(await agent.tick(view), context));
      return await Promise.race([thinking, aborted(signal)]);
    } finally {
      done.abort();
      clearTimeout(timer);
    }
  }

  /** On the side, for lists: most wake-ups are over before anybody could read it. */
  private async tellThatItThinks(until: AbortSignal): Promise<void> {
    const { desk } = this.deps;
    const { run, tick: number } = this.input;
    try {
      await sleep(TOLD_AFTER_MS, undefined, { signal: until });
      await desk.runs.recordThinking({ attachment: run.attachment, tick: number });
    } catch {
      // Thought out by then; or the desk is away, and the wake-up's own record will say so.
    }
  }

  /** On the side: only for a customer's message, from an agent that answers, where no human came in. */
  private async typing(
    { agent, conversation, prepared }: Omit<Thinking, 'cancelled'>,
    { events }: Tick<JsonObject, JsonObject>,
    until: AbortSignal,
  ): Promise<void> {
    const { deps, input } = this;
    const { tenant, subject, slot, attachment, attachedAt } = input.run;
    const heard = events.findLast(({ type }) => type === 'message.inbound');
    const inReplyTo = heard?.type === 'message.inbound' ? heard.data.providerId : undefined;
    if (!agent.answers || inReplyTo === undefined || conversation?.channel == null || conversation.contact === null)
      return;
    const { channel: key, id, contact } = conversation;
    const { onHumanMessage } = prepared.policy;
    const query = { tenant, subject, slot, attachment, attachedAt, agent: agent.key, channel: key, onHumanMessage };
    const channel = deps.channels.get(tenant, key);
    const to = { tenant, conversation: id, address: contact.address };
    const isAllowed = async () => (await deps.desk.acts.objection(query)) === null;
    await showTyping({ channel, to, inReplyTo, isAllowed }, until);
  }

  private async record(
    outcome: TickRecord['outcome'],
    { decided, isPostponed = false }: { readonly decided?: Outcome; readonly isPostponed?: boolean } = {},
  ): Promise<void> {
    const { deps, input } = this;
    const endedAt = deps.clock();
    const { agent } = input.run;
    // An event or an operator wakes a run before it is due: that is no punctuality to be proud of.
    if (input.why === 'due') this.tellLag(agent);
    deps.metrics.tickDone({ agent, result: outcome.kind, seconds: (endedAt - this.startedAt) / 1_000 });
    const recorded = deps.desk.runs.recordTick({
      tick: {
        attachment: input.run.attachment,
        tick: input.tick,
        attempt: Context.current().info.attempt,
        why: input.why,
        dueAt: input.dueAt,
        startedAt: instant(this.startedAt),
        endedAt: instant(endedAt),
        events: input.events.map(({ id }) => id),
        outcome,
      },
      run: this.changeBy({ outcome, decided, isPostponed, endedAt }),
    });
    await fromDesk(recorded);
  }

  private tellLag(agent: AgentKey): void {
    const { deps, input } = this;
    const seconds = (this.startedAt - Date.parse(input.dueAt)) / 1_000;
    const alertAbove = ms(input.agent.policy.lagAlert) / 1_000;
    deps.metrics.tickLag({ agent, seconds, alertAbove });
    if (seconds > alertAbove)
      deps.log.warn({ run: input.run.workflowId, tick: input.tick, seconds, alertAbove }, 'a tick began late');
  }

  /** What becomes of the run, in the words that the run itself has for it. */
  private changeBy({ outcome, decided, isPostponed, endedAt }: Recorded): RunChange {
    if (outcome.kind === 'failed')
      return isPostponed ? this.postponed(outcome, endedAt) : this.failed(outcome, endedAt);
    if (decided?.kind !== 'reschedule')
      return { failures: 0, ...(decided === undefined ? {} : { state: decided.state }) };
    const due =
      decided.nextRunAt === null ? {} : { nextRunAt: decided.nextRunAt, nextRunWhy: decided.why ?? ASKED_BY_AGENT };
    return { failures: 0, state: decided.state, ...due };
  }

  private failed({ fault, message }: FailureDetail, endedAt: number): RunChange {
    const { maxConsecutiveFailures: allowed, retryAfter } = this.input.agent.policy;
    const failures = this.input.failures + 1;
    const nextRunWhy = failedSo({ failures, allowed, message: `${fault}: ${message}` });
    return { failures, nextRunAt: instant(endedAt + ms(retryAfter)), nextRunWhy };
  }

  /** No failure of the agent's while the outage is within `outageGrace`; beyond it, one that counts. */
  private postponed(detail: FailureDetail, endedAt: number): RunChange {
    const { failures, outageSince: since = instant(endedAt), agent } = this.input;
    if (endedAt - Date.parse(since) >= ms(agent.policy.outageGrace)) return this.failed(detail, endedAt);
    const nextRunWhy = postponedFor({ since, message: `${detail.fault}: ${detail.message}` });
    return { failures, nextRunAt: instant(endedAt + postponedBy(agent.policy)), nextRunWhy };
  }

  /** The run goes on as the version of the agent that this worker knows, if that version can read it. */
  private renewed(agent: Agent): PreparedAgent {
    const { run, agent: old } = this.input;
    const config = agent.config.safeParse(old.config);
    if (!config.success)
      throw unreadable(
        agent,
        `the configuration of version ${old.version}`,
        'deploy one that can, by an optional field or a default for what is missing',
      );
    return preparedAgent(agent, config.data as JsonObject, this.deps.tenant(run.tenant)?.policies[agent.key] ?? {});
  }
}

function summaryOf(outcome: Outcome): TickRecord['outcome'] {
  const effects = outcome.effects.map(({ kind }) => kind);
  return outcome.kind === 'finish'
    ? { kind: 'finish', status: outcome.status, reason: outcome.reason, effects }
    : { kind: 'reschedule', nextRunAt: outcome.nextRunAt, why: outcome.why ?? null, effects };
}

/** Rejects when the signal aborts: an agent that ignores it cannot hold its wake-up. */
async function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () =>
      reject(signal.reason instanceof Error ? signal.reason : new CancelledFailure('the wake-up was cancelled'));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

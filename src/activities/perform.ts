/**
 * Performs one effect, once. The order is what makes it safe: claim the ledger row, ask the rules, ask the run, write
 * `sending` down, ask the run again and then the desk, call the provider, write down what it said. An attempt that finds
 * `sending` from another one does not know whether something went out: it asks, or waits, and calls again only when it
 * knows that nothing did.
 */
import { Context } from '@temporalio/activity';
import { ChannelError } from '../channels/channel-error.ts';
import type { LedgerRow } from '../desk/desk.ts';
import { ms } from '../domain/durations.ts';
import { conversationOf } from '../domain/ids.ts';
import type { Performed, PerformInput } from '../workflows/activity-types.ts';
import { claimOf } from './claim.ts';
import type { ActivityDeps } from './deps.ts';
import type { Performing } from './effects/performer.ts';
import { CHANNEL_SHUT } from './effects/message-send.ts';
import { EFFECTS } from './effects/registry.ts';
import { UNAUTHORIZED_PAUSE_MS } from './failures.ts';
import { alive } from './heartbeat.ts';
import { deskPermits, runPermits } from './permit.ts';

/** A provider's answer is waited for this long. Nothing of an attempt can be on its way after twice that. */
const PROVIDER_TIMEOUT_MS = 20_000;
const FATE_SETTLES_MS = 2 * PROVIDER_TIMEOUT_MS;
/**
 * From the writing down to the call: the questions in between take less. A process that was stopped there wakes up to answers
 * that a takeover, or another attempt that has made the call, came after.
 */
const ANSWERS_HOLD_MS = 5_000;
/** How long a status or an echo may take to prove that a message went out, before policy decides. */
const FATE_DEADLINE_MS = 5 * 60_000;
/** Between two looks for such a proof; also where a provider says “too fast” and not for how long. */
const LOOK_AGAIN_MS = 15_000;
/** An outage this near the end of an effect's patience is its last: whatever tries again comes later than that. */
const LAST_TRY_MS = 5_000;
const LONGEST_BACKOFF_MS = 5 * 60_000;

export async function perform(deps: ActivityDeps, input: PerformInput): Promise<Performed> {
  const context = Context.current();
  return alive(context, async () => {
    const performed = await new EffectAttempt(deps, input, `${input.performs}.${context.info.attempt}`).run();
    deps.metrics.effectDone({ kind: input.effect.kind, result: performed.result });
    if (performed.result !== 'done')
      deps.log.info(
        {
          ...{ effect: input.key, kind: input.effect.kind, result: performed.result, reason: performed.reason },
          ...(performed.result === 'parked' ? { until: performed.dueAt } : {}),
        },
        'effect not done',
      );
    return performed;
  });
}

class EffectAttempt {
  private readonly deps: ActivityDeps;
  private readonly input: PerformInput;
  private readonly attempt: string;

  constructor(deps: ActivityDeps, input: PerformInput, attempt: string) {
    this.deps = deps;
    this.input = input;
    this.attempt = attempt;
  }

  async run(): Promise<Performed> {
    const performed = await this.claimed();
    if (performed.result === 'parked') {
      const { reason, dueAt } = performed;
      await this.deps.desk.ledger.parked({ key: this.input.key, reason, until: dueAt });
    }
    return performed;
  }

  private async claimed(): Promise<Performed> {
    const { run, key, effect } = this.input;
    const row = await this.deps.desk.ledger.claim(claimOf(run, { key, effect, attempt: this.attempt }));
    switch (row.state) {
      case 'sent':
        return { result: 'done' };
      case 'unknown':
      case 'failed':
        return { result: 'failed', reason: row.reason ?? row.state };
      case 'refused':
      case 'cancelled':
        return { result: 'refused', reason: row.reason ?? row.state };
      case 'claimed':
        return this.go(row, 'claimed');
      case 'sending':
        return this.resolve(row);
    }
  }

  private async go(row: LedgerRow, from: 'claimed' | 'sending'): Promise<Performed> {
    const kind = EFFECTS[this.input.effect.kind];
    const performing = await this.performing(row);
    const objection = (await kind.before(performing)) ?? (await runPermits(this.deps, this.input));
    if (objection !== null) return this.settled(this.withinPatience(objection));
    const begunAt = this.deps.clock();
    // Another attempt of this very effect was faster: its fate is looked up by the next try.
    if (!(await this.deps.desk.ledger.beginSending(row.key, this.attempt, from)))
      throw new Error('another attempt is performing this effect');
    const late = await this.lateObjection(begunAt);
    if (late !== null) return this.settled(this.withinPatience(late));
    try {
      const receipt = await kind.call(performing);
      await this.deps.desk.ledger.sent({ key: row.key, providerId: receipt?.providerId ?? null, at: this.nowIso() });
      await kind.afterwards?.(performing, receipt);
      return { result: 'done' };
    } catch (error) {
      return await this.settled(await this.afterFailedCall(error, performing));
    }
  }

  /**
   * What the run has against it by now, which may have heard of a takeover that only Temporal was told of, and then the
   * desk: its answer is the last thing before the call. No answer leaves nothing in doubt: nothing has gone out.
   */
  private async lateObjection(begunAt: number): Promise<Performed | null> {
    const { deps, input } = this;
    const takeBack = async () => deps.desk.ledger.notSent(input.key, this.attempt);
    try {
      const objection = (await runPermits(deps, input)) ?? (await deskPermits(deps, input));
      if (objection === null && deps.clock() - begunAt > ANSWERS_HOLD_MS)
        throw new Error('the answers came too late to be acted on: nothing was sent');
      if (objection?.result === 'parked') await takeBack();
      return objection;
    } catch (error) {
      await takeBack();
      throw error;
    }
  }

  /** `sending` of an attempt that did not come back. */
  private async resolve(row: LedgerRow): Promise<Performed> {
    const { deps, input } = this;
    const seen = await deps.desk.ledger.seenByProvider(row.reference);
    if (seen !== null) return this.wentOut(row, seen);
    const age = row.sendingForMs ?? 0;
    if (age < FATE_SETTLES_MS) return this.parked('ambiguous', FATE_SETTLES_MS - age);
    const answer = await EFFECTS[input.effect.kind].lookUp(await this.performing(row));
    if (answer === 'repeatable') return this.go(row, 'sending');
    if (answer !== 'cannot_know')
      return answer.made ? this.wentOut(row, answer.providerId ?? null) : this.go(row, 'sending');
    if (age < FATE_DEADLINE_MS) return this.parked('ambiguous', LOOK_AGAIN_MS);
    if (input.policy.onUnknownSend === 'resend') return this.go(row, 'sending');
    deps.log.error({ effect: input.key }, 'the fate of a message cannot be known; it is not sent again');
    await deps.desk.ledger.settle({ key: input.key, state: 'unknown', reason: 'unknown_fate' });
    return { result: 'failed', reason: 'unknown_fate' };
  }

  private async wentOut(row: LedgerRow, providerId: string | null): Promise<Performed> {
    await this.deps.desk.ledger.sent({ key: row.key, providerId, at: row.sendingSince ?? this.nowIso() });
    return { result: 'done' };
  }

  /** What a provider's refusal means; errors that are not a provider's leave the row `sending`, to be looked up. */
  private async afterFailedCall(error: unknown, performing: Performing): Promise<Performed> {
    if (!(error instanceof ChannelError)) throw error;
    const { failure, code, retryAfterMs } = error;
    const reason = `${failure}: ${code}`;
    switch (failure) {
      case 'unknown_fate':
        return this.parked('ambiguous', FATE_SETTLES_MS);
      case 'outage':
        await this.deps.desk.ledger.notSent(this.input.key, this.attempt);
        if (retryAfterMs !== undefined) return this.parked('outage', retryAfterMs);
        if (this.isOutOfPatience(LAST_TRY_MS)) return { result: 'failed', reason };
        throw error;
      case 'rate_limited':
        await this.deps.desk.ledger.notSent(this.input.key, this.attempt);
        return this.parked('rate_limited', growing(retryAfterMs ?? LOOK_AGAIN_MS, this.input.performs));
      case 'unauthorized':
        await this.deps.desk.ledger.notSent(this.input.key, this.attempt);
        this.deps.log.error(
          { effect: this.input.key, channel: performing.channel?.key, code },
          'the channel refuses our credentials or our account: nothing goes out by it until that is mended',
        );
        return this.parked(
          reason,
          (await EFFECTS[this.input.effect.kind].shut?.(performing, code)) ?? UNAUTHORIZED_PAUSE_MS,
        );
      case 'window_closed':
      case 'permanent':
        return { result: 'failed', reason };
      case 'marketing_stopped':
        await EFFECTS[this.input.effect.kind].marketingStopped?.(performing);
        return { result: 'failed', reason };
      case 'unreachable':
        return { result: 'unreachable', reason };
    }
  }

  /** What is final is written down; what is parked longer than the policy allows has failed. */
  private async settled(performed: Performed): Promise<Performed> {
    const { ledger } = this.deps.desk;
    const { key } = this.input;
    switch (performed.result) {
      case 'refused':
        await ledger.settle({ key, state: 'refused', reason: performed.reason });
        return performed;
      case 'failed':
        await ledger.settle({ key, state: 'failed', reason: performed.reason });
        return performed;
      case 'unreachable':
        await ledger.settle({ key, state: 'failed', reason: performed.reason, unreachable: true });
        return performed;
      case 'parked':
      case 'done':
        return performed;
    }
  }

  /** What only the machinery holds back may not be held back for ever; the rules of contact know their own end. */
  private withinPatience(objection: Performed): Performed {
    const isOurs =
      objection.result === 'parked' && ['rate_limited', 'permit_unanswered', CHANNEL_SHUT].includes(objection.reason);
    if (!isOurs || objection.dueAt === null) return objection;
    return this.parked(objection.reason, Date.parse(objection.dueAt) - this.deps.clock());
  }

  /** Retried for as long as the policy says; an ambiguous one has its own end in `resolve`. */
  private parked(reason: string, afterMs: number): Performed {
    return reason !== 'ambiguous' && this.isOutOfPatience()
      ? { result: 'failed', reason }
      : { result: 'parked', reason, dueAt: new Date(this.deps.clock() + afterMs).toISOString() };
  }

  private isOutOfPatience(withinMs = 0): boolean {
    const { since, policy } = this.input;
    return this.deps.clock() + withinMs - Date.parse(since) >= ms(policy.effectRetry);
  }

  private async performing(row: LedgerRow): Promise<Performing> {
    const { deps, input } = this;
    const { tenant, subject } = input.run;
    const id = conversationOf(subject);
    const conversation = id === undefined ? null : await deps.desk.conversations.get(tenant, id);
    const channel = conversation?.channel == null ? undefined : deps.channels.get(tenant, conversation.channel);
    const address = conversation?.contact?.address;
    const to = id === undefined || address === undefined ? null : { tenant, conversation: id, address };
    return {
      deps,
      input,
      row,
      conversation,
      channel,
      to,
      signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS),
      now: deps.clock(),
    };
  }

  private nowIso(): string {
    return new Date(this.deps.clock()).toISOString();
  }
}

/** Who is told “too fast” again waits four times as long (Meta asks for 4^n seconds), up to five minutes or what it was told. */
function growing(wait: number, performs: number): number {
  return Math.max(wait, Math.min(wait * 4 ** Math.min(performs, 4), LONGEST_BACKOFF_MS));
}

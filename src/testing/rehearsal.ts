/**
 * A run without Temporal, a desk or a channel: one agent, one scripted customer, and a clock that only moves when told.
 * The same rules as in earnest judge the outcomes (`checkOutcome`), the sends (`maySend`) and the opt-out words.
 */
import type { Agent } from '../agents/define-agent.ts';
import { checkOutcome } from '../agents/outcomes.ts';
import { withTickContext, type TickContext } from '../agents/tick-context.ts';
import { parseDuration } from '../domain/durations.ts';
import { InvalidInputError } from '../domain/errors.ts';
import { concernsRuns, isFromCustomer, wakesOn } from '../domain/event-refs.ts';
import { BUSINESS } from '../domain/ids.ts';
import { instant } from '../domain/instants.ts';
import type { JsonObject } from '../domain/json.ts';
import { ASKED_BY_AGENT, ATTACHED } from '../domain/next-run-why.ts';
import { isOptOut } from '../domain/opt-out.ts';
import type { Outcome } from '../domain/outcomes.ts';
import type { Effect } from '../domain/schemas/effects.ts';
import type { MessageContent, StoredEvent } from '../domain/schemas/events.ts';
import type { Policy } from '../domain/schemas/policy.ts';
import type { PendingEffect } from '../domain/schemas/runs.ts';
import type { EndReason, RunStatus } from '../domain/statuses.ts';
import { said, storedEvent, type Happened } from './happened.ts';
import { checkedOptions, type RehearsalOptions, type RehearsedRun } from './options.ts';
import { Outbox, type RefusedMessage, type SentMessage } from './outbox.ts';
import { Transcript } from './transcript.ts';

/** More wake-ups than this in one `advance` is an agent that spins. */
const MOST_TICKS = 10_000;

/**
 * Attaches the agent and runs what is due at once.
 * @throws {InvalidInputError} naming every option that does not fit, the config's fields too.
 * @throws {InvalidOutcomeError} and whatever else the agent throws, from here and from every step: a rehearsal fails
 * at the first fault.
 */
export async function rehearse(agent: Agent, options: RehearsalOptions): Promise<Rehearsal> {
  const rehearsal = new Rehearsal(agent, options);
  await rehearsal.advance('0s');
  return rehearsal;
}

export class Rehearsal {
  readonly customer = {
    /** One burst: the agent wakes once, when it is over. */
    says: (...texts: readonly string[]): Promise<void> => this.hear(texts.map((text) => ({ kind: 'text', text }))),
    /** Anything but text: a picture, a voice message, a tapped button. */
    sends: (content: MessageContent): Promise<void> => this.hear([content]),
  };
  private readonly agent: Agent;
  private readonly config: JsonObject;
  private readonly policy: Policy;
  private readonly options: RehearsalOptions;
  private readonly zone: string;
  private readonly outbox: Outbox;
  private readonly transcript: Transcript;
  private now: number;
  private state: JsonObject;
  private nextRunAt: number;
  private nextRunWhy: string = ATTACHED;
  private burstUntil: number | null = null;
  private events: StoredEvent[] = [];
  private stored = 0;
  private ticks = 0;
  private end: { readonly status: RunStatus; readonly reason: EndReason; readonly comment: string | null } | null =
    null;

  constructor(agent: Agent, options: RehearsalOptions) {
    this.agent = agent;
    this.options = options;
    this.now = Date.parse(options.at);
    this.nextRunAt = this.now;
    const { config, policy } = checkedOptions(agent, options);
    this.config = config;
    this.policy = policy;
    this.state = agent.initialState(this.config);
    this.zone = this.policy.timeZone ?? options.contact?.timeZone ?? options.timeZone ?? 'UTC';
    this.transcript = new Transcript(options.files);
    this.outbox = new Outbox({
      policy: this.policy,
      hasServiceWindow: options.hasServiceWindow ?? false,
      timeZone: this.zone,
      sent: ({ text, at }) => this.transcript.said({ kind: 'text', text: text ?? '' }, at),
    });
    if (options.contact === null) this.outbox.nobody();
    for (const text of options.unanswered ?? []) this.written(this.store(said({ kind: 'text', text })));
  }

  /** What went out, oldest first. */
  get sent(): readonly SentMessage[] {
    return this.outbox.sent;
  }

  /** What never will, and why. */
  get refused(): readonly RefusedMessage[] {
    return this.outbox.refused;
  }

  /** What is held back: by which rule (`reason`), and when it is looked at again (`dueAt`). A tick sees the same as `pendingEffects`. */
  get waiting(): readonly PendingEffect[] {
    return this.outbox.waiting;
  }

  /** Everything else that was done: hand-offs, notes, closing. */
  get done(): readonly Exclude<Effect, { kind: 'message.send' }>[] {
    return this.outbox.done;
  }

  get run(): RehearsedRun {
    const live = this.end === null;
    return {
      status: this.end?.status ?? 'IN_PROGRESS',
      reason: this.end?.reason ?? null,
      comment: this.end?.comment ?? null,
      nextRunAt: live ? instant(this.nextRunAt) : null,
      nextRunWhy: live ? this.nextRunWhy : null,
      state: this.state,
      ticks: this.ticks,
    };
  }

  /** ISO-8601 UTC. */
  get clock(): string {
    return instant(this.now);
  }

  /** Lets time pass, e.g. `6h`, and everything happen that falls due meanwhile, in order. */
  async advance(duration: string): Promise<void> {
    const until = this.now + parseDuration(duration, 'duration');
    for (let ticks = 0; this.nextThing() <= until;) {
      this.now = Math.max(this.now, this.nextThing());
      this.outbox.flush(this.now);
      if (this.wakesAt() > this.now) continue;
      if (ticks++ >= MOST_TICKS) throw new Error(`more than ${MOST_TICKS} wake-ups in ${duration}`);
      await this.tick();
      this.outbox.flush(this.now);
    }
    this.now = until;
  }

  /**
   * Anything else that happens: a record that changes, an event of one's own, a contact's new data. Wakes the agent when
   * its `wakeOn` says so, and else waits for the next tick.
   * @throws {InvalidInputError} for data that does not fit, and for what a run is never told as an event.
   */
  async event(happened: Happened): Promise<void> {
    if (!concernsRuns(happened) || isFromCustomer(happened.type))
      throw new InvalidInputError([
        { path: 'type', message: `${happened.type} is not told here; a customer speaks by customer.says` },
      ]);
    const event = this.store(happened);
    if (event.type === 'contact.updated' && event.data.marketing !== undefined)
      this.outbox.marketingStopped = event.data.marketing === 'stopped';
    this.take(event);
    await this.untilQuiet();
  }

  private nextThing(): number {
    return Math.min(this.wakesAt(), this.outbox.dueAt);
  }

  private wakesAt(): number {
    return this.end === null ? (this.burstUntil ?? this.nextRunAt) : Infinity;
  }

  private async hear(contents: readonly MessageContent[]): Promise<void> {
    for (const content of contents) {
      const event = this.store(said(content));
      this.written(event);
      if (isOptOut(content.kind === 'text' ? content.text : '')) {
        this.outbox.optOut();
        this.finish({ status: 'EXITED_ON_INBOUND', reason: 'opted_out', comment: null });
      }
      this.take(event);
    }
    await this.untilQuiet();
  }

  /** Wakes the agent, after the quiet that its policy asks for. */
  private take(event: StoredEvent): void {
    const { quiet, max } = this.policy.debounce;
    if (this.end === null && wakesOn(this.agent.wakeOn, event.type))
      this.burstUntil = this.now + Math.min(parseDuration(quiet, 'quiet'), parseDuration(max, 'max'));
  }

  private async untilQuiet(): Promise<void> {
    await this.advance(this.burstUntil === null ? '0s' : `${this.burstUntil - this.now}ms`);
  }

  private store(happened: Happened): StoredEvent {
    this.stored += 1;
    const subject = this.agent.attachesTo === 'business' ? BUSINESS : 'conversation/rehearsal';
    const event = storedEvent(happened, { seq: this.stored, subject, time: instant(this.now) });
    this.events.push(event);
    return event;
  }

  private async tick(): Promise<void> {
    const why = this.burstUntil === null ? 'due' : 'event';
    const { events } = this;
    const { waiting, failed } = this.outbox;
    this.events = [];
    this.burstUntil = null;
    this.ticks += 1;
    this.outbox.failed = [];
    const context: TickContext = {
      state: this.agent.state,
      dueAt: instant(this.nextRunAt),
      begunAt: this.now,
      clock: () => this.now,
      ignoresHumans: this.policy.onHumanMessage === 'ignore',
    };
    const outcome = await withTickContext(context, async () =>
      checkOutcome(
        await this.agent.tick({
          config: this.config,
          state: this.agent.state.parse(structuredClone(this.state)) as JsonObject,
          events,
          conversation: this.agent.attachesTo === 'business' ? null : this.view(),
          erp: this.agent.erp ? (this.options.erp ?? null) : null,
          tenant: {
            id: 'rehearsal',
            name: this.options.tenantName ?? 'Acme',
            timeZone: this.options.timeZone ?? 'UTC',
          },
          now: instant(this.now),
          dueAt: context.dueAt,
          tick: this.ticks,
          why,
          pendingEffects: waiting,
          failedEffects: failed,
          humanStretch: null,
          signal: new AbortController().signal,
          log: { info: () => undefined, warn: () => undefined },
        }),
        context,
      ),
    );
    this.apply(outcome);
  }

  private apply(outcome: Outcome): void {
    this.state = structuredClone(outcome.state);
    if (outcome.kind === 'finish') {
      this.finish({ status: outcome.status, reason: outcome.reason, comment: outcome.comment ?? null });
    } else {
      this.outbox.cancel(outcome.cancel);
      if (outcome.nextRunAt !== null) {
        this.nextRunAt = Date.parse(outcome.nextRunAt);
        this.nextRunWhy = outcome.why ?? ASKED_BY_AGENT;
      }
    }
    outcome.effects.forEach((effect, n) =>
      this.outbox.add(effect, { key: `rehearsal:rehearsal:${this.ticks}:${n}`, now: this.now }),
    );
    this.outbox.flush(this.now);
  }

  private finish(end: NonNullable<Rehearsal['end']>): void {
    this.end = end;
    this.burstUntil = null;
    this.outbox.cancelAll();
  }

  private view(): Parameters<Agent['tick']>[0]['conversation'] {
    const { contact } = this.options;
    return {
      id: 'rehearsal',
      owner: 'agent',
      closed: this.outbox.closed,
      contact:
        contact === null
          ? null
          : {
              ...{ name: contact?.name ?? null, locale: contact?.locale ?? null },
              ...{ optedOut: this.outbox.optedOut, marketingStopped: this.outbox.marketingStopped },
            },
      timeZone: this.zone,
      lastInboundAt: this.transcript.lastAt('in'),
      lastOutboundAt: this.transcript.lastAt('out'),
      windowUntil: this.outbox.windowUntil,
      messages: ({ limit = 50 } = {}) => Promise.resolve(this.transcript.latest(limit)),
      media: (message, { file = 0 } = {}) =>
        Promise.resolve(this.transcript.file('id' in message ? message.id : message.providerId, file)),
    };
  }

  private written(event: StoredEvent): void {
    if (event.type !== 'message.inbound') return;
    this.transcript.heard(event.data, event.time);
    this.outbox.customerWrote(this.now);
  }
}

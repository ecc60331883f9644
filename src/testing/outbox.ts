/** A rehearsal's effects: sent, refused or held back by the rules that hold in earnest. */
import type { Tick } from '../agents/define-agent.ts';
import { instant } from '../domain/instants.ts';
import type { JsonObject } from '../domain/json.ts';
import { FREQUENCY_SPAN_MS, maySend, RATE_SPAN_MS, SERVICE_WINDOW_MS, type NeverReason } from '../domain/may-send.ts';
import type { Effect, MessageSend } from '../domain/schemas/effects.ts';
import type { TemplateMessage } from '../domain/schemas/templates.ts';
import type { Policy } from '../domain/schemas/policy.ts';
import type { PendingEffect } from '../domain/schemas/runs.ts';

export interface SentMessage {
  /** ISO-8601 UTC. */
  readonly at: string;
  /** Null: a template went out in place of a text. */
  readonly text: string | null;
  readonly template: TemplateMessage | null;
  readonly proactive: boolean;
}

export interface RefusedMessage {
  readonly at: string;
  readonly send: MessageSend;
  readonly reason: NeverReason;
}

interface Held {
  readonly key: string;
  readonly send: MessageSend;
  readonly since: string;
  reason: string | null;
  dueAt: number;
}

interface Surroundings {
  readonly policy: Policy;
  readonly hasServiceWindow: boolean;
  readonly timeZone: string;
  sent(message: SentMessage): void;
}

export class Outbox {
  readonly sent: SentMessage[] = [];
  readonly refused: RefusedMessage[] = [];
  readonly done: Exclude<Effect, { kind: 'message.send' }>[] = [];
  /** Told to the next tick, once. */
  failed: Tick<JsonObject, JsonObject>['failedEffects'][number][] = [];
  optedOut = false;
  marketingStopped = false;
  closed = false;
  private readonly around: Surroundings;
  private held: Held[] = [];
  private hasContact = true;
  private lastInboundAt: number | null = null;

  constructor(around: Surroundings) {
    this.around = around;
  }

  /** When the first of those held back may go out; Infinity: none is. */
  get dueAt(): number {
    return Math.min(Infinity, ...this.held.map(({ dueAt }) => dueAt));
  }

  get windowUntil(): string | null {
    if (!this.around.hasServiceWindow || this.lastInboundAt === null) return null;
    return instant(this.lastInboundAt + SERVICE_WINDOW_MS);
  }

  /** As a tick sees them. */
  get waiting(): readonly PendingEffect[] {
    return this.held.map(({ key, send, since, reason, dueAt }) => ({
      key,
      effect: send,
      state: 'parked',
      reason,
      dueAt: instant(dueAt),
      attempts: 1,
      since,
    }));
  }

  nobody(): void {
    this.hasContact = false;
  }

  optOut(): void {
    this.optedOut = true;
  }

  /** Somebody is there, the window opens, and our own ideas that still wait have been overtaken. */
  customerWrote(now: number): void {
    this.hasContact = true;
    this.closed = false;
    this.lastInboundAt = now;
    this.held = this.held.filter(({ send }) => !send.proactive);
  }

  add(effect: Effect, { key, now }: { key: string; now: number }): void {
    if (effect.kind === 'message.send') {
      this.held.push({ key, send: effect, since: instant(now), reason: null, dueAt: now });
      return;
    }
    if (effect.kind === 'conversation.close') this.closed = true;
    this.done.push(effect);
  }

  cancel(keys: readonly string[]): void {
    this.held = this.held.filter(({ key }) => !keys.includes(key));
  }

  cancelAll(): void {
    this.held = [];
  }

  /** Sends, refuses or holds back everything that is due. */
  flush(now: number): void {
    for (const held of this.held.filter(({ dueAt }) => dueAt <= now)) {
      const decision = this.decide(held.send, now);
      if (decision.decision === 'defer') {
        Object.assign(held, { reason: decision.reason, dueAt: Date.parse(decision.until) });
        continue;
      }
      this.held = this.held.filter((other) => other !== held);
      if (decision.decision === 'never') {
        this.refused.push({ at: instant(now), send: held.send, reason: decision.reason });
        this.failed.push({ key: held.key, kind: held.send.kind, reason: decision.reason });
        continue;
      }
      const template = decision.decision === 'template' ? decision.template : null;
      const message = {
        at: instant(now),
        text: template === null ? (held.send.text ?? null) : null,
        template,
        proactive: held.send.proactive,
      };
      this.sent.push(message);
      this.around.sent(message);
    }
  }

  private decide(send: MessageSend, now: number): ReturnType<typeof maySend> {
    const { policy, hasServiceWindow, timeZone } = this.around;
    const recent = (span: number, proactive: boolean): readonly SentMessage[] =>
      this.sent.filter((message) => (!proactive || message.proactive) && Date.parse(message.at) > now - span);
    const [inConversation, toContact] = [recent(RATE_SPAN_MS, false), recent(FREQUENCY_SPAN_MS, true)];
    return maySend({
      now: instant(now),
      send,
      contact: this.hasContact ? { optedOut: this.optedOut, marketingStopped: this.marketingStopped, timeZone } : null,
      conversation: {
        channel: { hasServiceWindow },
        lastInboundAt: this.lastInboundAt === null ? null : instant(this.lastInboundAt),
        closed: this.closed,
      },
      policy,
      counts: {
        inConversation: inConversation.length,
        oldestInConversationAt: inConversation[0]?.at ?? null,
        proactiveToContact: toContact.length,
        oldestProactiveAt: toContact[0]?.at ?? null,
      },
    });
  }
}

/**
 * Everything around a run's state that can happen in any order: a desk that stores events, a loop that takes the
 * run's steps as the workflow does, people, providers, a clock. Each step is one number; after each, `check` holds
 * what the run remembers against what the world knows.
 */
import assert from 'node:assert/strict';
import type { AttachmentId, EffectKey } from '../../src/domain/ids.ts';
import type { Effect } from '../../src/domain/schemas/effects.ts';
import { MAX_EFFECTS } from '../../src/domain/outcomes.ts';
import type { PolicyInput } from '../../src/domain/schemas/policy.ts';
import type { CaughtUp } from '../../src/workflows/activity-types.ts';
import {
  EFFECTS_LIMIT,
  KNOWN_LIMIT,
  QUEUE_LIMIT,
  SEEN_LIMIT,
  type RunEffect,
  type RunEnd,
} from '../../src/workflows/run-data.ts';
import { giveBack } from '../../src/workflows/run-queue.ts';
import type { Briefing, RunState } from '../../src/workflows/run-state.ts';
import { DeskModel, type Stored } from './desk-model.ts';
import { aResult, anOutcome } from './run-choices.ts';
import { anAgent, aRun, ATTACHMENT, iso, rolledOver, T0 } from './run-parts.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Every unfinished effect, and a few ticks and pages. */
const MOST_STEPS_TO_SETTLE = 10 * EFFECTS_LIMIT;

type InFlight =
  | { readonly what: 'prepare' }
  | { readonly what: 'tick'; readonly told: Briefing }
  | { readonly what: 'effect'; readonly key: EffectKey }
  | { readonly what: 'catchUp'; readonly after: number; read: CaughtUp | null };

export class RunWorld {
  run: RunState = aRun();
  now = T0;
  private readonly policy: PolicyInput;
  private readonly desk = new DeskModel();
  private inFlight: InFlight | null = null;
  /** Ended, and its end recorded. */
  closed = false;
  private recording = false;
  private readonly sent: { readonly key: EffectKey; readonly effect: Effect; readonly sentAt: string }[] = [];
  private reports = 0;
  /** Keys that must never be performed or permitted again. */
  private readonly settled = new Set<EffectKey>();
  private end: RunEnd | null = null;
  private final = false;
  private endEffects: readonly EffectKey[] = [];
  private lastHadStarted = false;
  /** A person has stopped it. */
  private stopped = false;
  /** A customer has written while its end's effects were being finished. */
  private overtaken = false;

  private readonly floods: boolean;

  /** @param floods hundreds of events at once, so that the queue overflows. */
  constructor({ policy, floods }: { policy: PolicyInput; floods: boolean }) {
    this.policy = policy;
    this.floods = floods;
    this.run.beginPrepare();
    this.inFlight = { what: 'prepare' };
  }

  /** One thing happens; `choice` says what, and all that is random about it. */
  step(choice: number): void {
    const pick = choice % 1_000;
    const more = Math.floor(choice / 1_000);
    if (pick < 280) this.takeStep();
    else if (pick < 540) this.resolve(more);
    else if (pick < 720) this.arrive(more);
    else if (pick < 840) this.pass(more);
    else if (pick < 900) this.rollOver();
    else if (pick < 994) this.ask(more);
    else this.interrupt(more);
    this.check();
  }

  /** Everybody goes home: the run is resumed, woken and left alone until it has nothing to do; then all is accounted for. */
  settle(): void {
    for (const event of this.desk.events) if (event.concernsRuns && !event.signalled) this.signal(event);
    for (let n = 0; n < MOST_STEPS_TO_SETTLE && !this.isQuiet(); n += 1) {
      if (this.inFlight === null && this.run.data.paused !== null) this.run.resume({}, this.now, 0);
      if (this.inFlight === null && this.waits() && this.run.data.end === null) this.run.wakeNow('ana');
      this.takeStep();
      this.resolve(0);
      this.now += MINUTE;
      this.check();
    }
    const lost = this.desk.events.filter((event) => event.signalled && event.consumed + event.unhandled !== 1);
    assert.deepEqual(
      lost.map(({ ref }) => ref),
      [],
      'an event was lost',
    );
  }

  // ── The loop, as the workflow turns it ────────────────────────────────────────────────────────────────────────

  private takeStep(): void {
    const { run, now } = this;
    if (this.inFlight !== null || this.closed) return;
    if (!run.isLive()) return this.recordEnd();
    const step = run.nextStep(now);
    switch (step.do) {
      case 'tick': {
        const told = run.beginTick(now);
        if (told !== null) this.inFlight = { what: 'tick', told };
        return;
      }
      case 'perform': {
        const { key } = step.effect;
        assert.ok(!this.settled.has(key), 'an effect is performed again');
        assert.ok(!this.stopped, 'an effect is performed after a person’s stop');
        this.checkTurn(step.effect);
        run.beginEffect(step.effect);
        this.inFlight = { what: 'effect', key };
        return;
      }
      case 'catchUp':
        this.inFlight = { what: 'catchUp', after: run.beginCatchUp(), read: null };
        return;
      case 'resume':
        return run.resume({}, now, 0);
      case 'finish':
        return run.giveUpEnding();
      case 'wait':
        return;
    }
  }

  private resolve(more: number): void {
    const { run, now, inFlight } = this;
    if (inFlight === null || this.closed) return;
    if (inFlight.what === 'catchUp' && inFlight.read === null) {
      inFlight.read = this.desk.read(inFlight.after);
      return;
    }
    this.inFlight = null;
    // Whether the cancellation or the result comes first is a race, and either must do.
    if (run.isInterrupted() && more % 2 === 0) return run.interrupted();
    switch (inFlight.what) {
      case 'prepare':
        return this.prepared(more);
      case 'catchUp':
        return run.caughtUp(inFlight.read ?? this.desk.read(inFlight.after), now);
      case 'effect': {
        const performed = aResult(more, run.data, now);
        if (performed.result !== 'parked') this.settled.add(inFlight.key);
        const { effects } = run.data;
        const { effect } = effects.find(({ key }) => key === inFlight.key) ?? {};
        if (performed.result === 'done' && effect?.kind === 'message.send')
          this.sent.push({ key: inFlight.key, effect, sentAt: iso(now) });
        run.performed(inFlight.key, performed, now);
        if (performed.result === 'done') this.checkHandedOff(inFlight.key, effects);
        return;
      }
      case 'tick':
        return this.ticked(inFlight.told, more);
    }
  }

  private prepared(more: number): void {
    const events = this.desk.events.filter(({ ref }) => ref.type === 'message.inbound').map(({ ref }) => ref);
    if (more % 40 === 39)
      return this.run.prepared(
        { result: 'refused', status: 'REMOVED_BY_SYSTEM', reason: 'invalid_config', comment: 'config.x' },
        this.now,
      );
    const adopting = this.run.data.end === null;
    for (const { id } of adopting ? events : []) this.desk.get(id).signalled = true;
    const plan = { nextRunAt: iso(this.now), nextRunWhy: 'first run' };
    const agent = anAgent(this.policy, ['message.inbound', 'record.changed']);
    this.run.prepared({ result: 'ready', agent, state: {}, ...plan, events }, this.now);
  }

  private ticked(told: Briefing, more: number): void {
    const { run, now } = this;
    const isOvertaken = run.running?.what === 'tick' && run.running.overtaken;
    const counts = run.data.end === null && !isOvertaken;
    const kind = more % 12;
    if (kind === 9) return run.tickFailed('boom', now);
    if (kind === 10) return run.tickPostponed('503', now);
    if (kind === 11 && more % 1_200 === 11) return run.crashLooped('5 attempts', now);
    if (counts) for (const { id } of told.events) this.desk.get(id).consumed += 1;
    run.ticked(anOutcome(more, run.data, now), told, now);
  }

  private rollOver(): void {
    if (this.inFlight === null && !this.closed && !this.recording) this.run = rolledOver(this.run);
  }

  private recordEnd(): void {
    this.recording = true;
    const { data } = this.run;
    for (const { id } of giveBack(data)) this.desk.get(id).unhandled += 1;
    if (data.overflow !== null) this.inFlight = { what: 'catchUp', after: this.run.beginCatchUp(), read: null };
    else this.closed = true;
  }

  // ── The desk ──────────────────────────────────────────────────────────────────────────────────────────────────

  private arrive(more: number): void {
    if (this.closed) return;
    const kind = more % 40;
    if (kind < 4) return this.signalAgain(more);
    if (kind < 6) return this.lose(more);
    const count = kind > 32 && this.floods ? 400 : 1;
    for (let n = 0; n < count; n += 1) this.desk.store(more + n, this.now);
    // Delivery may lag behind storing, and overtake what was stored before.
    for (const event of this.desk.events.slice(-count - 3))
      if (!event.signalled && event.concernsRuns && (more + event.ref.seq) % 4 !== 0) this.signal(event);
  }

  private signal(event: Stored): void {
    if (this.closed) return;
    event.signalled = true;
    this.run.eventArrived(event.ref, this.now);
    const { end, overflow } = this.run.data;
    if (end !== null && overflow === null && event.ref.type === 'message.inbound') this.overtaken = true;
  }

  private signalAgain(more: number): void {
    const recent = this.desk.events.slice(-300);
    const event = recent[more % Math.max(1, recent.length)];
    // One that the end has given back is routed again, whoever hears of it.
    if (event?.signalled === true && event.unhandled === 0) this.run.eventArrived(event.ref, this.now);
  }

  /** A message that went out is reported as lost, perhaps not for the first time. */
  private lose(more: number): void {
    const sent = this.sent[more % Math.max(1, this.sent.length)];
    if (sent === undefined) return;
    this.reports += 1;
    const { key, effect, sentAt } = sent;
    const told = { id: `lost${this.reports}`, seq: 1, attachment: ATTACHMENT, key, reason: 'outage: 1' };
    const again = more % 3 === 0 ? {} : { again: { effect, sentAt } };
    this.run.undelivered({ ...told, unreachable: false, ...again }, this.now);
  }

  // ── People and time ───────────────────────────────────────────────────────────────────────────────────────────

  private pass(more: number): void {
    const step = this.run.isLive() ? this.run.nextStep(this.now) : null;
    const jump = step?.do === 'wait' && step.until !== Infinity && more % 2 === 0 ? step.until - this.now : 0;
    this.now += jump + ([0, 500, 3_000, HOUR][more % 4] ?? 0);
  }

  /** What the run's validators let through. */
  private ask(more: number): void {
    const { run, now } = this;
    const until = iso(now + (more % 5) * HOUR);
    switch (more % 6) {
      case 0:
      case 1:
        return run.pause(more % 4 === 0 ? { actor: 'ana', until } : { actor: 'ana' });
      case 2:
      case 3:
        return run.isLive() ? run.resume(more % 4 === 2 ? {} : { jitterMs: MINUTE }, now, 0.5) : undefined;
      case 4:
        return run.data.end === null ? run.snooze({ actor: 'ana', until }) : undefined;
      default:
        return run.data.end === null ? run.wakeNow('ana') : undefined;
    }
  }

  private interrupt(more: number): void {
    const { run, now } = this;
    const at = more % 7 === 0 ? iso(T0 - HOUR) : iso(now);
    const attachment = more % 5 === 0 ? { attachment: 'another' as AttachmentId } : {};
    const explicit = more % 3 === 0 ? { explicit: true as const } : {};
    const cause =
      (['human_replied', 'human_replied', 'taken_over', 'closed_by_human'] as const)[more % 4] ?? 'taken_over';
    const wasFinal = run.data.end;
    if (more % 3 === 1) run.detached({ at, actor: 'ana', ...attachment }, now);
    else run.humanTookOver({ cause, at, actor: 'ana', ...attachment, ...explicit }, now);
    if (more % 7 === 0 || more % 5 === 0) assert.equal(run.data.end, wasFinal, 'a stale act changed the run');
    else this.stopped ||= more % 3 === 1 || more % 3 === 0 || this.ends(cause);
  }

  /** What this agent makes of a human who comes in. */
  private ends(cause: 'human_replied' | 'taken_over' | 'closed_by_human'): boolean {
    const policy = this.run.data.agent?.policy.onHumanMessage;
    return policy === 'end' || (policy === 'pause' && cause === 'closed_by_human');
  }

  private isQuiet(): boolean {
    const { queue, overflow } = this.run.data;
    return this.closed || (this.inFlight === null && queue.length === 0 && overflow === null && this.run.isLive());
  }

  private waits(): boolean {
    return this.run.isLive() && this.run.nextStep(this.now).do === 'wait';
  }

  // ── What must hold after every step ───────────────────────────────────────────────────────────────────────────

  private check(): void {
    this.checkEnd();
    this.checkEffects();
    this.checkEvents();
    this.checkNextStep();
  }

  private checkEnd(): void {
    const { data } = this.run;
    if (this.end !== null && !sameEnd(this.end, data.end)) {
      assert.ok(!this.final && this.end.actor === 'agent' && !this.lastHadStarted, 'a final end changed');
      assert.ok(data.end?.actor === 'ana', 'something other than a person changed an end');
    }
    if (!sameEnd(this.end, data.end)) this.endEffects = data.effects.map(({ key }) => key);
    this.end = data.end;
    this.final ||= !this.run.isLive();
    if (this.final) assert.equal(this.run.isLive(), false, 'an ended run lives again');
    const last = data.effects.at(-1);
    this.lastHadStarted = last !== undefined && (last.state === 'performing' || last.attempts > 0);
  }

  private checkEffects(): void {
    const { run } = this;
    const { data } = run;
    assert.ok(data.effects.length <= EFFECTS_LIMIT && data.failedEffects.length <= EFFECTS_LIMIT + MAX_EFFECTS);
    const keys = new Set(data.effects.map(({ key }) => key));
    assert.equal(keys.size, data.effects.length, 'an effect is there twice');
    for (const { key } of data.cancelled) this.settled.add(key);
    for (const key of keys) {
      assert.ok(!this.settled.has(key), 'a finished effect is unfinished again');
      if (data.end !== null) assert.ok(this.endEffects.includes(key), 'an effect was added after the end');
      assert.equal(run.permit({ key, attachment: ATTACHMENT }).permitted, data.paused === null);
      assert.equal(run.permit({ key, attachment: 'another' as AttachmentId }).permitted, false);
    }
    for (const key of this.settled) assert.equal(run.permit({ key, attachment: ATTACHMENT }).permitted, false);
    if (this.stopped) assert.equal(keys.size, 0, 'an effect outlived a person’s stop');
    if (this.overtaken && data.paused === null) this.checkOvertaken();
    if (data.end !== null && data.end.actor !== 'agent')
      assert.equal(keys.size, 0, 'an effect outlived a person’s end');
  }

  private checkOvertaken(): void {
    const { effects } = this.run.data;
    assert.ok(!effects.some(({ effect }) => effect.kind === 'message.send' && effect.proactive), 'nobody asked for it');
    assert.ok(effects.length === 0 || !effects.every(isHeldBack), 'a customer waits for messages that are held back');
  }

  private checkEvents(): void {
    const { queue, seen, overflow } = this.run.data;
    assert.ok(queue.length <= 2 * QUEUE_LIMIT && seen.length <= 2 * SEEN_LIMIT, 'the queue is unbounded');
    assert.ok(overflow === null || overflow.known.length <= 2 * KNOWN_LIMIT);
    const ids = new Set(queue.map(({ id }) => id));
    assert.equal(ids.size, queue.length, 'an event is queued twice');
    for (const id of ids) {
      const { consumed, unhandled } = this.desk.get(id);
      assert.equal(consumed + unhandled, 0, 'a consumed event is queued again');
    }
    for (const event of this.desk.events.slice(-30)) {
      const places = event.consumed + event.unhandled + (ids.has(event.ref.id) ? 1 : 0);
      assert.ok(places <= 1, 'an event counts twice');
      if (event.signalled && overflow === null && this.inFlight?.what !== 'catchUp')
        assert.equal(places, 1, `event ${event.ref.id} was lost`);
    }
  }

  /** @param before as they were before the effect of this key was done. */
  private checkHandedOff(key: EffectKey, before: readonly RunEffect[]): void {
    const at = before.findIndex((effect) => effect.key === key);
    const done = before[at];
    if (done?.effect.kind !== 'conversation.handOff') return;
    const earlier = before
      .slice(0, at)
      .filter(({ tick, effect }) => tick === done.tick && effect.kind === 'message.send');
    const { effects, cancelled } = this.run.data;
    assert.ok(!earlier.some((effect) => effects.includes(effect)), 'a message is left behind a hand-off');
    const wentAhead = new Set(cancelled.filter(({ reason }) => reason === 'went_ahead').map(({ key: of }) => of));
    assert.ok(!before.slice(at).some((effect) => wentAhead.has(effect.key)), 'a hand-off gave up what was behind it');
  }

  /** @param next is about to be performed. */
  private checkTurn(next: RunEffect): void {
    const { effects } = this.run.data;
    const earlier = effects.slice(0, effects.indexOf(next)).filter(({ tick }) => tick === next.tick);
    const isOvertaken = ({ effect }: RunEffect) => effect.kind === 'conversation.handOff';
    assert.ok(!earlier.some(isOvertaken), 'a hand-off is overtaken');
  }

  /** While it waits: no hand-off waits for a message that is held back for longer than two minutes. */
  private checkHandOffs(): void {
    const { effects } = this.run.data;
    for (const handOff of effects) {
      if (handOff.effect.kind !== 'conversation.handOff' || handOff.state !== 'waiting') continue;
      const ofTick = effects.filter(({ tick }) => tick === handOff.tick);
      // One that went ahead before it, and is held back itself, may be waited for.
      const isFirst = ofTick.find(({ effect }) => effect.kind === 'conversation.handOff') === handOff;
      const [head] = ofTick;
      assert.ok(head === undefined || !isFirst || !isHeldBack(head), 'a hand-off is held back');
    }
  }

  private checkNextStep(): void {
    const { run, now } = this;
    if (!run.isLive()) return;
    const step = run.nextStep(now);
    if (step.do !== 'wait') return;
    assert.ok(step.until > now, 'a wait for what has passed');
    if (run.data.paused === null && this.inFlight === null) {
      const isStuck = run.data.effects.some(({ state, dueAt }) => state !== 'waiting' && dueAt === null);
      assert.ok(Number.isFinite(step.until) && !isStuck, 'nothing will ever wake it');
      if ((run.data.notBefore ?? now) <= now) this.checkHandOffs();
    }
    if (run.data.queue.length < 20) assert.deepEqual(rolledOver(run).data, run.data);
  }
}

/** For longer than two minutes, and not by the doubt whether it went out. */
function isHeldBack({ effect, state, reason, dueAt, since }: RunEffect): boolean {
  const isLong = dueAt === null || Date.parse(dueAt) > Date.parse(since) + 2 * MINUTE;
  return effect.kind === 'message.send' && state === 'parked' && reason !== 'ambiguous' && isLong;
}

function sameEnd(a: RunEnd | null, b: RunEnd | null): boolean {
  return a?.status === b?.status && a?.reason === b?.reason && a?.at === b?.at;
}

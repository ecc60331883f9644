/** Judges what is left behind by what was planned and what the provider took. Pure: every broken rule is a sentence. */
import { ASKED_ANEW } from '../../support/asked-anew.ts';
import type { SentMessage } from '../../../src/channels/simulated/whatsapp-simulator.ts';
import type { Desk, EventRow, Histories, SendRow, TickRow } from './evidence.ts';
import type { Step } from './plan.ts';

export interface Verdict {
  readonly rows: Readonly<Record<string, string | number>>;
  readonly broken: readonly string[];
}

export interface Evidence {
  readonly steps: readonly Step[];
  readonly idOf: (step: Step) => string;
  readonly desk: Desk;
  readonly histories: Histories;
  readonly accepted: readonly SentMessage[];
  /** Answers to webhooks, by HTTP status. */
  readonly answers: ReadonlyMap<number, number>;
}

export function judge(evidence: Evidence): Verdict {
  const court = new Court(evidence);
  return {
    rows: { ...court.stored(), ...court.consumed(), ...court.sent(), ...court.takenOver(), ...court.alive() },
    broken: court.broken,
  };
}

class Court {
  readonly broken: string[] = [];
  private readonly evidence: Evidence;
  /** Subjects that a human holds, and since when it is stored. */
  private readonly held = new Map<string, number>();
  private readonly acceptances: ReadonlyMap<string, readonly SentMessage[]>;

  constructor(evidence: Evidence) {
    this.evidence = evidence;
    for (const { subject, tookover, stored } of evidence.desk.events)
      if (tookover && subject !== null && !this.held.has(subject)) this.held.set(subject, stored);
    this.acceptances = groupBy(evidence.accepted, ({ reference }) => reference ?? 'none');
  }

  stored() {
    const { steps, idOf, desk, answers } = this.evidence;
    const known = groupBy(desk.events, ({ id }) => id);
    for (const step of steps) {
      const rows = known.get(idOf(step)) ?? [];
      if (rows.length !== 1) this.breaks(`${step.by} message ${step.n} is stored ${rows.length} times`);
    }
    for (const { id, status, problem } of desk.events)
      if (status !== 'delivered') this.breaks(`event ${id} is ${status}: ${problem ?? ''}`);
    for (const [status, count] of answers) if (status >= 300) this.breaks(`${count} webhooks were answered ${status}`);
    return { 'events stored (of customers, of humans)': `${this.inbound().length}, ${this.count('human')}` };
  }

  consumed() {
    const ticks = this.counted();
    const times = new Map<string, number>();
    for (const key of ticks.flatMap(({ events }) => events)) times.set(key, (times.get(key) ?? 0) + 1);
    const heard = new Map<number, number>();
    for (const n of this.evidence.accepted.flatMap(({ text }) => numbersIn(text)))
      heard.set(n, (heard.get(n) ?? 0) + 1);
    let consumed = 0;
    for (const event of this.inbound()) {
      const count = times.get(event.key) ?? 0;
      const told = heard.get(numberOf(event)) ?? 0;
      const isFree = !this.isHeld(event.subject);
      if (count > 0) consumed += 1;
      if (count > 1 || (isFree && count === 0)) this.breaks(`message ${event.id} was consumed ${count} times`);
      if (told > 1 || (isFree && told === 0)) this.breaks(`message ${event.id} was answered ${told} times`);
      if (event.deliveries > 1) this.breaks(`message ${event.id} was delivered to ${event.deliveries} runs`);
      if (count > 0 && event.deliveries === 0)
        this.breaks(`message ${event.id} was consumed without a delivery record`);
    }
    return {
      'events consumed': consumed,
      'left to humans': this.inbound().length - consumed,
    };
  }

  sent() {
    const { sends } = this.evidence.desk;
    const decided = this.counted().filter(({ effects }) => effects > 0);
    const ledger = groupBy(sends, ({ key }) => key);
    for (const { workflow, attachment, tick, subject } of decided)
      if (!this.isHeld(subject) && !ledger.has(`${workflow}:${attachment}:${tick}:0`))
        this.breaks(`the reply of tick ${tick} of ${workflow} was never tried`);
    for (const send of sends) this.judgeSend(send);
    const known = new Set(sends.map(({ reference }) => reference));
    for (const reference of this.acceptances.keys())
      if (!known.has(reference)) this.breaks(`the provider took ${reference}, of which the ledger knows nothing`);
    const twice = [...this.acceptances.values()].filter(({ length }) => length > 1).length;
    const notSent = sends.filter(({ state }) => state !== 'sent');
    return {
      'replies decided': decided.length,
      'sent, by the ledger': sends.length - notSent.length,
      'taken by the provider': this.evidence.accepted.length,
      'taken twice': twice,
      'not sent': tally(notSent.map(({ state, reason }) => `${state} (${reason ?? ''})`)),
      ...this.ambiguous(),
    };
  }

  takenOver() {
    let inFlight = 0;
    let after = 0;
    for (const { subject, reference, sending, key } of this.evidence.desk.sends) {
      const since = this.held.get(subject);
      if (since === undefined) continue;
      for (const { acceptedAt } of this.acceptances.get(reference) ?? []) {
        if (acceptedAt <= since) continue;
        // `sending` is written before the desk is asked: one that began earlier is the call in flight.
        if ((sending ?? 0) <= since) inFlight += 1;
        else {
          after += 1;
          this.breaks(`${key} was sent ${Math.round(acceptedAt - since)} ms after the takeover was stored`);
        }
      }
    }
    return { takeovers: this.held.size, 'calls in flight at a takeover': inFlight, 'sends after takeover': after };
  }

  alive() {
    const { desk, histories } = this.evidence;
    for (const { workflow, attachment, status, reason, phase, due, subject } of desk.runs) {
      const isLive = status === 'IN_PROGRESS';
      if (isLive && (phase !== 'asleep' || due === null || due < Date.now()))
        this.breaks(`${workflow} is stuck: ${phase ?? ''}, due ${due ?? 'never'}`);
      if (!isLive && reason === null) this.breaks(`${workflow} ended ${status} without a reason`);
      if (isLive !== histories.running.has(attachment))
        this.breaks(`desk and Temporal differ on ${workflow}: ${status}`);
      if (isLive && this.isHeld(subject)) this.breaks(`${workflow} lives on after the takeover`);
      if (status === 'REMOVED_BY_SYSTEM') this.breaks(`${workflow} was removed: ${reason ?? ''}`);
    }
    for (const [cause, count] of histories.failedTasks)
      if (!ASKED_ANEW.test(cause)) this.breaks(`${count} workflow tasks failed: ${cause}`);
    return {
      runs: tally(desk.runs.map(({ status, reason }) => `${status}${reason === null ? '' : ` ${reason}`}`)),
      'failed workflow tasks': tally([...histories.failedTasks].flatMap(([cause, n]) => Array<string>(n).fill(cause))),
    };
  }

  /** Wake-ups that counted: one overtaken as it was written down is followed by one with its events, as in the timeline. */
  private counted(): readonly TickRow[] {
    const { ticks, runs } = this.evidence.desk;
    const taken = new Set(runs.flatMap(({ attachment, unhandled }) => unhandled.map((key) => `${attachment} ${key}`)));
    return ticks.filter(({ attachment, events, failed }) => {
      if (failed) return false;
      const names = events.map((key) => `${attachment} ${key}`);
      if (names.some((name) => taken.has(name))) return false;
      for (const name of names) taken.add(name);
      return true;
    });
  }

  private judgeSend({ key, state, reason, reference, subject }: SendRow): void {
    const taken = this.acceptances.get(reference)?.length ?? 0;
    if (taken > 1) this.breaks(`${key} was sent ${taken} times`);
    if (state === 'sent' && taken === 0) this.breaks(`${key} counts as sent, and the provider never took it`);
    if (state !== 'sent' && (taken > 0 || !this.isHeld(subject)))
      this.breaks(`${key} is ${state} (${reason ?? ''}), and the provider took it ${taken} times`);
  }

  /** Of the effects whose fate was unknown: what proved it. */
  private ambiguous() {
    const { histories, desk } = this.evidence;
    const how = desk.sends.flatMap(({ key, reference, state }) => {
      const since = histories.ambiguous.get(key);
      if (since === undefined) return [];
      if (state !== 'sent') return [state];
      // Histories tell whole seconds here.
      const [first] = this.acceptances.get(reference) ?? [];
      return [(first?.acceptedAt ?? Infinity) < since + 1_000 ? 'proven by a status' : 'sent again'];
    });
    return { 'of unknown fate': how.length, 'how that was resolved': tally(how) };
  }

  private inbound(): readonly EventRow[] {
    return this.evidence.desk.events.filter(({ type }) => type === 'message.inbound');
  }

  private count(by: Step['by']): number {
    const ids = new Set(this.evidence.steps.filter((step) => step.by === by).map(this.evidence.idOf));
    return this.evidence.desk.events.filter(({ id }) => ids.has(id)).length;
  }

  private isHeld(subject: string | null): boolean {
    return subject !== null && this.held.has(subject);
  }

  private breaks(sentence: string): void {
    this.broken.push(sentence);
  }
}

function numberOf({ id }: EventRow): number {
  return Number(id.split('.').at(-1));
}

function numbersIn(text: string | undefined): number[] {
  return text?.startsWith('heard ') === true ? text.slice('heard '.length).split(' ').map(Number) : [];
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function tally(words: readonly string[]): string {
  const counts = [...groupBy(words, (word) => word)].map(([word, all]) => `${word}: ${all.length}`);
  return counts.length === 0 ? '0' : counts.join(', ');
}

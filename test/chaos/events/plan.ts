/** What will happen, all of it decided beforehand: the same seed, the same plan. */
import type { Passage } from '../../../src/channels/simulated/webhook-sender.ts';
import type { SendTrouble } from '../../../src/channels/simulated/whatsapp-simulator.ts';

export interface Options {
  /** Messages of customers. */
  readonly size: number;
  readonly seed: number;
  readonly perSecond: number;
  /** Between two kills, on average. */
  readonly killEveryMs: number;
  /** Kills Temporal too, now and then. */
  readonly killsTemporal: boolean;
}

export interface Step {
  /** ms from the beginning. */
  readonly at: number;
  readonly by: 'customer' | 'human';
  readonly phone: string;
  /** A message's number is its text. */
  readonly n: number;
  readonly passage: Passage;
  /** What the next POST to the Graph endpoint meets. */
  readonly graph: SendTrouble | null;
}

export type Victim = 'server' | 'worker' | 'temporal';

const MESSAGES_PER_CONVERSATION = 10;
/** Conversations that go on at once: few enough that late messages are overtaken by later ones of the same person. */
const AT_ONCE = 40;
const LATE_BY_MS = 3_000;
const CUT_WITHIN_MS = 20;
const SHARES = { duplicated: 0.2, late: 0.2, cut: 0.05, graph: 0.025 };
/** A human comes into one conversation of so many: 2 %. */
const TAKEN_OVER_EVERY = 50;
const FIRST_TAKEN_OVER = 7;
/** Temporal needs seconds to come back: one kill in so many is its. */
const TEMPORAL_EVERY = 8;

export function planSteps({ size, seed, perSecond }: Options): readonly Step[] {
  const draw = generator(seed);
  const passage = (): Passage => ({
    copies: draw() < SHARES.duplicated ? 2 : 1,
    lateByMs: draw() < SHARES.late ? Math.round(draw() * LATE_BY_MS) : 0,
    cutAfterMs: draw() < SHARES.cut ? Math.round(draw() * CUT_WITHIN_MS) : null,
  });
  const steps: Step[] = [];
  const taken = new Set<number>();
  for (const [n, conversation] of whoWrites(size, draw).entries()) {
    const phone = `1202${String(5_550_000 + conversation)}`;
    const at = Math.round((n * 1_000) / perSecond);
    const graph = draw() < SHARES.graph ? trouble(draw(), n < size / 2) : null;
    steps.push({ at, by: 'customer', phone, n, passage: passage(), graph });
    // A human comes in while the agent thinks, sends or sleeps.
    const isTaken = conversation % TAKEN_OVER_EVERY === FIRST_TAKEN_OVER && !taken.has(conversation);
    if (isTaken && draw() < 1 / 3) {
      taken.add(conversation);
      steps.push({ at: at + Math.round(draw() * 400), by: 'human', phone, n, passage: passage(), graph: null });
    }
  }
  return steps.sort((one, other) => one.at - other.at);
}

/** When to kill whom, without end. */
export function* planKills({
  seed,
  killEveryMs,
  killsTemporal,
}: Options): Generator<{ afterMs: number; victim: Victim }> {
  const draw = generator(seed + 1);
  for (let n = 1; ; n += 1) {
    const afterMs = Math.round(killEveryMs * (0.5 + draw()));
    if (killsTemporal && n % TEMPORAL_EVERY === 0) yield { afterMs, victim: 'temporal' };
    else yield { afterMs, victim: n % 2 === 0 ? 'server' : 'worker' };
  }
}

/** For each message the number of its conversation: in groups, and by chance within them, so that there are bursts and gaps. */
function whoWrites(size: number, draw: () => number): readonly number[] {
  const writers: number[] = [];
  const group = AT_ONCE * MESSAGES_PER_CONVERSATION;
  for (let from = 0; from < size; from += group) {
    const turns = Array.from(
      { length: Math.min(group, size - from) },
      (_, turn) => Math.floor(from / MESSAGES_PER_CONVERSATION) + Math.floor(turn / MESSAGES_PER_CONVERSATION),
    );
    for (let last = turns.length - 1; last > 0; last -= 1) {
      const other = Math.floor(draw() * (last + 1));
      [turns[last], turns[other]] = [turns[other] ?? 0, turns[last] ?? 0];
    }
    writers.push(...turns);
  }
  return writers;
}

/** What nobody can prove to have not gone out takes minutes to settle: only in the first half, so that the end need not wait for it. */
function trouble(drawn: number, isEarly: boolean): SendTrouble {
  if (drawn < 0.15) return { kind: 'refuse', status: 429, code: 130429, retryAfter: '1' };
  if (drawn < 0.25 && isEarly) return { kind: 'cut', accepted: false };
  if (drawn < 0.3 && isEarly) return { kind: 'refuse', status: 503 };
  return drawn < 0.4 ? { kind: 'garbage' } : { kind: 'cut', accepted: true };
}

/** Mulberry32: small, seeded, good enough to deal out trouble. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Chance that comes out the same for the same seed, on every machine. */

export interface Random {
  /** 0 ≤ x < 1. */
  unit(): number;
  /** A whole number, both ends included. */
  whole(from: number, to: number): number;
  between(from: number, to: number): number;
  /** True that often. */
  happens(probability: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item;
  /** As many of them, each once, in chance order; all when there are fewer. */
  sample<Item>(items: readonly Item[], count: number): Item[];
  /** How many of independent rare things happen when `mean` are expected (Poisson, by Knuth's product). */
  count(mean: number): number;
  /** A stream of its own: what one part of the generator draws does not move another's. */
  fork(name: string): Random;
}

export function createRandom(seed: number | string): Random {
  let state = typeof seed === 'number' ? seed >>> 0 : hashOf(seed);
  const first = state;
  // Mulberry32: 32 bits of state are plenty for a year of one shop.
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const whole = (from: number, to: number): number => from + Math.floor(unit() * (to - from + 1));
  return {
    unit,
    whole,
    between: (from, to) => from + unit() * (to - from),
    happens: (probability) => unit() < probability,
    pick(items) {
      const item = items[Math.floor(unit() * items.length)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
    sample(items, count) {
      const left = [...items];
      const taken = [];
      while (taken.length < count && left.length > 0) taken.push(...left.splice(whole(0, left.length - 1), 1));
      return taken;
    },
    count(mean) {
      const floor = Math.exp(-mean);
      let product = unit();
      let happened = 0;
      for (; product > floor; happened += 1) product *= unit();
      return happened;
    },
    fork: (name) => createRandom(`${first}/${name}`),
  };
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}

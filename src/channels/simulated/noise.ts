/** Trouble dealt out by shares: the same seed, the same trouble. */

/** Shares of all posts, 0 to 1, drawn from a generator seeded with `seed`. */
export interface Noise {
  readonly seed: number;
  /** Posted a second time at once. */
  readonly duplicated: number;
  /** Held back for up to `lateByMs`, so that later ones overtake it. */
  readonly late: number;
  readonly lateByMs: number;
  /** The connection is cut before the answer can be read, and the post tried again where the provider does so. */
  readonly dropped: number;
}

/** Mulberry32: small, seeded, good enough to deal out trouble. Draws from 0 to 1. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

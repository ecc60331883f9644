/**
 * What property tests draw is the same at every run: one that fails is the doing of whoever changed something. FUZZ_SEED, a
 * whole number, has them draw something else.
 */
import fc from 'fast-check';

const USUAL = 20_261_130;

export const SEED = Number(process.env['FUZZ_SEED'] ?? USUAL);

fc.configureGlobal({ seed: SEED });

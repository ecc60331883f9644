/** A channel without a provider, for the demo and for trying agents. */
import { z } from 'zod';

export const SimulatedConfig = z.strictObject({ kind: z.literal('simulated') });
export type SimulatedConfig = z.infer<typeof SimulatedConfig>;

export const SIMULATED_KEY = 'simulated';

/** Lives of runs, at random: whatever happens in whatever order, each keeps its promises. */
import fc from 'fast-check';
import type { PolicyInput } from '../../src/domain/schemas/policy.ts';
import { RunWorld } from './run-world.ts';

/** What happens in one life, or in several where they are short. */
export const STEPS = 400;

const aPolicy: fc.Arbitrary<PolicyInput> = fc.record({
  onHumanMessage: fc.constantFrom('end', 'pause', 'ignore'),
  onOvertaken: fc.constantFrom('rethink', 'send'),
  debounce: fc.constantFrom({ quiet: '0s', max: '0s' }, { quiet: '2s', max: '8s' }),
  maxMessages: fc.constantFrom(3, 50, 1_000),
  maxConsecutiveFailures: fc.constantFrom(1, 3, 100),
});
const choices = fc.array(fc.nat({ max: 2 ** 30 }), { minLength: STEPS, maxLength: STEPS, size: 'max' });

/** @param floods of one life after the other: whether events come by the hundred. @throws what promise was broken, and how. */
export function liveThrough({
  lives,
  floods,
}: {
  readonly lives: number;
  readonly floods: fc.Arbitrary<boolean>;
}): void {
  fc.assert(
    fc.property(fc.record({ policy: aPolicy, floods }), choices, (of, steps) => {
      let world = new RunWorld(of);
      for (const step of steps) {
        world.step(step);
        if (!world.closed) continue;
        world.settle();
        world = new RunWorld(of);
      }
      world.settle();
    }),
    { numRuns: lives },
  );
}

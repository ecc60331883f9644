import fc from 'fast-check';
import type { PolicyInput } from '../../src/domain/schemas/policy.ts';
import { RunWorld } from '../support/run-world.ts';

const LIVES = 250;
const STEPS = 400;

const aPolicy: fc.Arbitrary<PolicyInput> = fc.record({
  onHumanMessage: fc.constantFrom('end', 'pause', 'ignore'),
  onOvertaken: fc.constantFrom('rethink', 'send'),
  debounce: fc.constantFrom({ quiet: '0s', max: '0s' }, { quiet: '2s', max: '8s' }),
  maxMessages: fc.constantFrom(3, 50, 1_000),
  maxConsecutiveFailures: fc.constantFrom(1, 3, 100),
});
const aWorld = fc.record({ policy: aPolicy, floods: fc.nat(9).map((n) => n === 0) });
const choices = fc.array(fc.nat({ max: 2 ** 30 }), { minLength: STEPS, maxLength: STEPS, size: 'max' });

describe('a run, whatever happens in whatever order', () => {
  it(`keeps its promises over ${LIVES * STEPS} steps`, () => {
    fc.assert(
      fc.property(aWorld, choices, (of, steps) => {
        let world = new RunWorld(of);
        for (const step of steps) {
          world.step(step);
          if (!world.closed) continue;
          world.settle();
          world = new RunWorld(of);
        }
        world.settle();
      }),
      { numRuns: LIVES },
    );
  });
});

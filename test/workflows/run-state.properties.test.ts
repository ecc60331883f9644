import fc from 'fast-check';
import { liveThrough, STEPS } from '../support/run-lives.ts';

const LIVES = 250;

describe('a run, whatever happens in whatever order', () => {
  it(`keeps its promises over ${LIVES * STEPS} steps`, () =>
    liveThrough({ lives: LIVES, floods: fc.nat(9).map((n) => n === 0) }));
});

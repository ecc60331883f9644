import fc from 'fast-check';
import { liveThrough } from '../support/run-lives.ts';

const LIVES = 500;

describe('a run that is flooded with events', () => {
  it(`keeps its promises over ${LIVES} lives`, () => liveThrough({ lives: LIVES, floods: fc.constant(true) }));
});

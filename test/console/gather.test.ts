import assert from 'node:assert/strict';
import { gather, type Gathered } from '../../src/console/api/gather.ts';

/** What was read, one text a read; nothing passes by itself. */
function reader() {
  const reads: string[] = [];
  const pauses: { readonly ms: number; readonly end: () => void }[] = [];
  let answer: () => void = () => undefined;
  const gathered = gather<string, number>({
    everyMs: 100,
    read: (told: Gathered<string, number>) => {
      reads.push([...told].map(([type, ns]) => `${type} ${ns.join('+')}`).join(', '));
      return new Promise<void>((resolve) => (answer = resolve));
    },
    pause: (ms) => new Promise((end) => void pauses.push({ ms, end })),
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    ...{ gathered, reads },
    /** So much time passes: of every pause of that length or less that has begun. */
    pass: async (ms: number) => {
      for (const [at, pause] of [...pauses.entries()].reverse())
        if (pause.ms <= ms) pauses.splice(at, 1).forEach(({ end }) => end());
      await turn();
    },
    answers: async () => {
      answer();
      await turn();
    },
  };
}

describe('what the stream tells', () => {
  it('is read at once when nothing was told for a while, with what is told beside it', async () => {
    const { gathered, reads, pass } = reader();
    gathered.add('run', 1);
    gathered.add('run', 2);
    gathered.add('act', 3);
    await pass(10);
    assert.deepEqual(reads, ['run 1+2, act 3']);
  });

  it('is read together when it comes while something is read, and not before that is there', async () => {
    const { gathered, reads, pass, answers } = reader();
    gathered.add('run', 1);
    await pass(10);
    gathered.add('run', 2);
    await pass(100);
    gathered.add('run', 3);
    assert.equal(reads.length, 1, 'a read that is under way was overtaken');
    await answers();
    assert.deepEqual(reads, ['run 1', 'run 2+3']);
  });

  it('is read at most once in its time, however fast the answers come', async () => {
    const { gathered, reads, pass, answers } = reader();
    gathered.add('run', 1);
    await pass(10);
    gathered.add('run', 2);
    await answers();
    assert.equal(reads.length, 1);
    await pass(100);
    assert.deepEqual(reads, ['run 1', 'run 2']);
  });

  it('is read all the same when an answer never comes', async () => {
    const { gathered, reads, pass } = reader();
    gathered.add('run', 1);
    await pass(10);
    gathered.add('run', 2);
    await pass(60_000);
    assert.deepEqual(reads, ['run 1', 'run 2']);
  });

  it('is read by nobody after the page is closed', async () => {
    const { gathered, reads, pass } = reader();
    gathered.add('run', 1);
    gathered.stop();
    await pass(10);
    assert.deepEqual(reads, []);
  });
});

import assert from 'node:assert/strict';
import {
  admit,
  follow,
  NOTHING_SHOWN,
  notReadSince,
  settle,
  type Latest,
  type SteadyList,
} from '../../src/console/runs/steady-rows.ts';
import type { RunRow } from '../../src/console/api/shapes.ts';

const run = (id: string, status = 'IN_PROGRESS') => ({ id, status }) as RunRow;
const runs = (ids: string) => Array.from(ids, (id) => run(id));
const shownIn = ({ rows }: SteadyList) => rows.map(({ run: { id }, gone }) => (gone ? `(${id})` : id)).join('');
const latest = (ids: string, more: Partial<Latest> = {}): Latest => ({
  ...{ found: runs(ids), more: false, lookedUp: new Map(), fits: () => false },
  ...more,
});
const showing = (ids: string) => settle(NOTHING_SHOWN, latest(ids));

describe('a list of runs that is looked at', () => {
  it('shows what is found, in the server’s order', () => {
    const list = showing('abc');
    assert.deepEqual([shownIn(list), list.waiting], ['abc', 0]);
  });

  it('keeps every row where it is when the order changes', () => {
    assert.equal(shownIn(settle(showing('abc'), latest('cab'))), 'abc');
  });

  it('counts what is new above and does not show it', () => {
    const list = settle(showing('abc'), latest('xaybc'));
    assert.deepEqual([shownIn(list), list.waiting], ['abc', 2]);
  });

  it('adds what was read on to at the end', () => {
    const list = settle(showing('abc'), latest('abcde'));
    assert.deepEqual([shownIn(list), list.waiting], ['abcde', 0]);
  });

  it('marks what the filter no longer finds, and leaves it where it is', () => {
    assert.equal(shownIn(settle(showing('abc'), latest('ac'))), 'a(b)c');
  });

  it('does not call gone what only stands elsewhere now', () => {
    assert.equal(shownIn(settle(showing('abc'), latest('ac', { fits: () => true }))), 'abc');
  });

  it('drops what new rows have pushed over the end of what was read', () => {
    assert.equal(shownIn(settle(showing('abc'), latest('xab', { more: true }))), 'ab');
  });

  it('shows a run that was looked up as it is now, wherever it stands', () => {
    const lookedUp = new Map([['b', { run: run('b', 'COMPLETED'), askedAt: 1 }]]);
    const list = settle(showing('abc'), latest('abc', { lookedUp }));
    assert.deepEqual(
      list.rows.map(({ run: { status } }) => status),
      ['IN_PROGRESS', 'COMPLETED', 'IN_PROGRESS'],
    );
  });

  it('believes a page that was asked for later than a run was looked up', () => {
    const lookedUp = new Map(Array.from('abc', (id) => [id, { run: run(id), askedAt: 2 }] as const));
    const read = (ids: string, askedAt: number) => ({ items: runs(ids), nextCursor: null, askedAt });
    assert.deepEqual([...notReadSince(lookedUp, [read('a', 1), read('b', 3)]).keys()], ['a', 'c']);
    assert.equal(notReadSince(lookedUp, [read('abc', 1)]), lookedUp);
  });

  it('marks what has come when the reader asks for it', () => {
    const list = admit(settle(showing('ab'), latest('xab')), runs('xab'));
    assert.deepEqual(
      list.rows.map(({ run: { id }, fresh }) => [id, fresh]),
      [
        ['x', true],
        ['a', false],
        ['b', false],
      ],
    );
    assert.equal(list.waiting, 0);
  });

  it('shows a run that the reader has begun before the one it follows, and no other', () => {
    const named = (id: string, slot: string) => ({ ...run(id), subject: 'business', slot }) as RunRow;
    const before = settle(NOTHING_SHOWN, latest('', { found: [named('a', 'x'), named('b', 'y')] }));
    const begun = follow(before, named('n', 'y'));
    assert.deepEqual([shownIn(begun), shownIn(follow(begun, named('n', 'y')))], ['anb', 'anb']);
    assert.equal(shownIn(follow(before, named('n', 'z'))), 'ab');
    const now = latest('', { found: ['n', 'a', 'b'].map((id) => named(id, id === 'a' ? 'x' : 'y')) });
    const settled = settle(begun, now);
    assert.deepEqual([shownIn(settled), settled.waiting], ['anb', 0]);
  });
});

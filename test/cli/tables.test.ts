import assert from 'node:assert/strict';
import { runsTable } from '../../src/cli/shown-runs.ts';
import { table } from '../../src/cli/terminal.ts';
import type { RunSummary } from '../../src/domain/schemas/runs.ts';

describe('a table in the terminal', () => {
  it('tells in a word which runs fail, wait to be mended or are late', () => {
    const run = { tenant: 'demo', subject: 'business', slot: 'stockout', agent: 'stockout', status: 'IN_PROGRESS' };
    const asleep = { ...run, reason: null, phase: 'asleep', failures: 0, ticks: 1, endedAt: null, nextRunAt: null };
    const told = (more: object) =>
      runsTable([{ ...asleep, attachedAt: '2026-11-30T15:00:00Z', ...more } as unknown as RunSummary], undefined);
    assert.match(told({}), /IN_PROGRESS \(asleep\)/);
    assert.match(told({ failures: 2, trouble: 'failing' }), /IN_PROGRESS \(failing 2\)/);
    assert.match(told({ failures: 2, phase: 'paused' }), /IN_PROGRESS \(paused\)/);
    assert.match(told({ trouble: 'overdue' }), /IN_PROGRESS \(late\)/);
    assert.match(told({ trouble: 'overdue', heldUp: 'no such agent' }), /IN_PROGRESS \(held up\)/);
    const ended = { failures: 2, phase: null, status: 'REMOVED_BY_SYSTEM', reason: 'crash_loop' };
    assert.match(told(ended), /REMOVED_BY_SYSTEM \(crash_loop\)/);
  });

  it('says less of ids and instants before it cuts what is said in words', () => {
    const id = '8d79f842-0000-4000-8000-000000000000';
    const row = [id, '2026-11-30T15:00:27.455Z', 'refused: the number is not on WhatsApp'];
    const shown = (columns: number | undefined, beginningsDo = true) =>
      table(['ID', 'AT', 'PROBLEM'], [row], columns, { beginningsDo }).split('\n')[1];
    assert.equal(shown(undefined), row.join('  '));
    assert.equal(shown(72), `8d79f842  2026-11-30T15:00:27Z  ${row[2]}`);
    assert.match(shown(72, false) ?? '', new RegExp(`^${id}  2026-\\S+  refused`));
  });
});

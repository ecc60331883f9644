import assert from 'node:assert/strict';
import { overdueInvoice } from '../../../src/agents/overdue-invoice/overdue-invoice.ts';
import { InvalidInputError } from '../../../src/domain/errors.ts';
import type { Erp } from '../../../src/erp/erp.ts';
import { rehearse } from '../../../src/testing.ts';
import { record } from '../../support/records.ts';
import { erpOf, opened, watch } from '../../support/watched.ts';

const AT = '2026-11-29T09:00:00.000Z';

/** An ERP that counts how often it is asked. */
function counted(erp: Erp): { erp: Erp; calls: string[] } {
  const calls: string[] = [];
  const list: Erp['list'] = async (kind, options) => {
    calls.push(options.cursor === undefined ? `${kind} from the first` : `${kind} since`);
    return erp.list(kind, options);
  };
  return { erp: { ...erp, list }, calls };
}

const invoices = (count: number) => Array.from({ length: count }, (_, n) => record('invoice', { id: `I-${n}` }));
const changed = (kind: string) => ({ type: 'record.changed', data: { record: kind, recordId: 'x', change: {} } });
const ended = (signature: string, status: string) => ({
  type: 'custom.investigation.overdue-invoice',
  data: { signature, status },
});

describe('a watcher', () => {
  it('reads everything once, then only what has changed, with one call when nothing has', async () => {
    const { erp, calls } = counted(erpOf([record('invoice', { id: 'I-1', dueOn: '2026-12-24' })]));
    const watched = await watch(overdueInvoice, { erp, at: AT });
    await watched.advance('1h');
    assert.deepEqual(calls, ['invoice from the first', ...Array.from({ length: 4 }, () => 'invoice since')]);
    assert.equal(watched.run.nextRunAt, '2026-11-29T10:15:00.000Z');
  });

  it('is woken by a change before its poll, and asks the ERP nothing when the change is none of its kind', async () => {
    const { erp, calls } = counted(erpOf(invoices(0)));
    const watched = await watch(overdueInvoice, { erp, at: AT });
    const due = watched.run.nextRunAt;
    await watched.event(changed('stock'));
    assert.deepEqual([calls.length, watched.run.nextRunAt], [1, due]);
    await watched.event(changed('invoice'));
    assert.equal(calls.length, 2);
  });

  it('tells a trouble once while it goes on, and reads all again on the next day, since days make debts', async () => {
    const tomorrow = record('invoice', { id: 'I-2', dueOn: '2026-11-23' });
    const { erp } = counted(erpOf([...invoices(1), tomorrow]));
    const watched = await watch(overdueInvoice, { erp, at: AT });
    await watched.advance('12h');
    assert.deepEqual(
      opened(watched).map(({ signature }) => signature),
      ['I-0'],
    );
    await watched.advance('12h');
    assert.deepEqual(
      opened(watched)
        .map(({ signature }) => signature)
        .sort(),
      ['I-0', 'I-0', 'I-2'],
    );
  });

  it('tells many troubles a few at a time, each once, in a state that stays small', async () => {
    const watched = await rehearse(overdueInvoice, { erp: erpOf(invoices(200)), at: AT });
    assert.equal(opened(watched).length, 15);
    assert.ok(JSON.stringify(watched.run.state).length < 16_000);
    await watched.advance('1m');
    assert.equal(new Set(opened(watched).map(({ signature }) => signature)).size, 200);
    assert.ok(JSON.stringify(watched.run.state).length < 16_000);
  });

  it('lets what was decided on rest, what failed for a day only', async () => {
    const watched = await watch(overdueInvoice, { erp: erpOf(invoices(2)), at: AT });
    await watched.event(ended('I-0', 'rejected'));
    await watched.event(ended('I-1', 'failed'));
    await watched.advance('3d');
    const told = opened(watched).map(({ signature }) => signature);
    assert.equal(told.filter((id) => id === 'I-0').length, 1);
    assert.ok(told.filter((id) => id === 'I-1').length > 1);
    await watched.advance('6d');
    assert.ok(opened(watched).filter(({ signature }) => signature === 'I-0').length > 1);
  });

  it('reads from the first again when the ERP no longer knows its cursor', async () => {
    const [before, after] = [erpOf(invoices(1)), erpOf(invoices(3))];
    let isNew = false;
    const list: Erp['list'] = async (kind, options) => {
      if (!isNew) return before.list(kind, options);
      if (options.cursor !== undefined) throw new InvalidInputError([{ path: 'cursor', message: 'is none of ours' }]);
      return after.list(kind, options);
    };
    const watched = await watch(overdueInvoice, { erp: { ...before, list }, at: AT });
    isNew = true;
    await watched.advance('15m');
    assert.equal(new Set(opened(watched).map(({ signature }) => signature)).size, 3);
  });
});

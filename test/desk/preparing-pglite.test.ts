import assert from 'node:assert/strict';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PreparingPglite } from '../../src/desk/database/preparing-pglite.ts';
import { temporaryDirectory } from '../support/desk.ts';
import { copyDesk } from '../support/desk-template.ts';

describe('PGlite that prepares its statements', () => {
  const folder = temporaryDirectory();
  let client: PreparingPglite;

  before(async () => {
    await copyDesk(folder);
    client = new PreparingPglite(join(folder, 'desk'));
    await client.waitReady;
    await client.exec('create table things (n integer primary key, name text, at timestamptz, tags jsonb)');
  });
  after(async () => {
    await client.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const names = async () => {
    const { rows } = await client.query<{ name: string }>('select name from things order by n');
    return rows.map(({ name }) => name);
  };
  const prepared = async (like: string) => {
    const { rows } = await client.query<{ plans: number }>(
      'select (generic_plans + custom_plans)::int as plans from pg_prepared_statements where statement like $1',
      [like],
    );
    return rows.map(({ plans }) => plans);
  };

  it('prepares a statement once, and binds whatever values come', async () => {
    const put = 'insert into things values ($1, $2, $3, $4)';
    await client.query(put, [1, 'one', new Date('2026-11-30T10:00:00Z'), { a: [1] }]);
    await client.query(put, [2, null, null, null]);
    await client.query(put, [3, 'ünï', '2026-11-30T10:00:00Z', '[]']);
    const { rows } = await client.query('select * from things order by n', [], { rowMode: 'array' });
    const at = new Date('2026-11-30T10:00:00Z');
    assert.deepEqual(rows, [
      [1, 'one', at, { a: [1] }],
      [2, null, null, null],
      [3, 'ünï', at, []],
    ]);
    assert.deepEqual(await prepared('insert into things%'), [3]);
    const read = await client.query('select at from things where n = $1', [1], { parsers: { 1184: (text) => text } });
    assert.deepEqual(read.rows, [{ at: '2026-11-30 10:00:00+00' }]);
  });

  it('keeps what others ask out of a transaction, and undoes all of it when a statement of it fails', async () => {
    const failed = client.transaction(async (tx) => {
      await tx.query('update things set name = $1', ['lost']);
      await tx.query('insert into things values ($1)', [1]);
    });
    const beside = client.query('update things set name = $1 where n = $2', ['kept', 2]);
    await assert.rejects(failed, { code: '23505' });
    await beside;
    assert.deepEqual(await names(), ['one', 'kept', 'ünï']);
    assert.equal(await client.transaction(async (tx) => (await tx.query('select 1')).rows.length), 1);
  });

  it('tells of a statement that cannot be prepared, each time, and serves the next', async () => {
    const fail = () => assert.rejects(client.query('select nothing from things'), { code: '42703' });
    await fail();
    await fail();
    assert.deepEqual((await client.query('select 7 as n')).rows, [{ n: 7 }]);
  });

  it('refuses a transaction that is over', async () => {
    const tx = await client.transaction(async (open) => open);
    await assert.rejects(tx.query('select 1'), /closed/);
  });

  it('forgets the statements that were used longest ago, and prepares them again', async () => {
    for (let n = 0; n < 300; n += 1) await client.query(`select ${n} as n`);
    const { rows } = await client.query<{ count: number }>('select count(*)::int as count from pg_prepared_statements');
    assert.ok((rows[0]?.count ?? 0) <= 257);
    assert.deepEqual(await names(), ['one', 'kept', 'ünï']);
  });

  it('plans anew as a table grows: a plan for a handful of rows does not serve for ever', async () => {
    await client.exec('create table grown (n integer primary key); insert into grown values (0); analyze grown');
    const find = 'select n from grown where n = $1';
    for (let n = 0; n < 10; n += 1) await client.query(find, [n]);
    await client.exec('insert into grown select * from generate_series(1, 20000) as n');
    const plan = async () => {
      const { rows } = await client.query<{ name: string }>(
        'select name from pg_prepared_statements where statement = $1',
        [find],
      );
      const [explained] = await client.exec(`explain execute ${rows[0]?.name}(7)`);
      return JSON.stringify(explained?.rows);
    };
    assert.match(await plan(), /Seq Scan/);
    for (let n = 0; n < 1_000; n += 1) await client.query('select 1');
    assert.match(await plan(), /Index Only Scan/);
  });

  it('that cannot write its log any more says so, refuses what else is asked, and closes', async () => {
    const other = temporaryDirectory();
    await copyDesk(other);
    const broken = new PreparingPglite(join(other, 'desk'));
    await broken.query('create table kept (n integer)');
    renameSync(join(other, 'desk', 'pg_wal'), join(other, 'pg_wal'));
    await broken.query('select pg_switch_wal()');
    const stopped = /the embedded database has stopped: could not create file "pg_wal/;
    await assert.rejects(broken.query('insert into kept values (1)'), stopped);
    await assert.rejects(broken.query('select 1'), { code: '57P02' });
    await assert.rejects(
      broken.transaction(async (tx) => tx.query('select 1')),
      stopped,
    );
    assert.match((await broken.panicked).message, stopped);
    await broken.close();
    rmSync(other, { recursive: true, force: true });
  });
});

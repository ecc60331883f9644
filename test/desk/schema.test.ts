import assert from 'node:assert/strict';
import { is, sql } from 'drizzle-orm';
import { getTableConfig, IndexedColumn, PgTable } from 'drizzle-orm/pg-core';
import { type Db, rowsOf } from '../../src/desk/database/database.ts';
import * as changeSchema from '../../src/desk/database/change-log.ts';
import * as fanOutSchema from '../../src/desk/fan-out/schema.ts';
import * as homeSchema from '../../src/desk/database/home.ts';
import * as investigationSchema from '../../src/desk/investigations/schema.ts';
import * as announcementSchema from '../../src/desk/announcements/schema.ts';
import * as peopleSchema from '../../src/desk/people/schema.ts';
import * as secretsSchema from '../../src/desk/people/server-secrets.ts';
import * as pollSchema from '../../src/desk/polls.ts';
import * as runSchema from '../../src/desk/runs/schema.ts';
import * as sendSchema from '../../src/desk/sends/schema.ts';
import * as switchSchema from '../../src/desk/switches.ts';
import * as schema from '../../src/desk/schema.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';

const TABLES = Object.values({
  ...schema,
  ...runSchema,
  ...sendSchema,
  ...switchSchema,
  ...pollSchema,
  ...announcementSchema,
  ...investigationSchema,
  ...fanOutSchema,
  ...peopleSchema,
  ...changeSchema,
  ...secretsSchema,
  ...homeSchema,
}).filter((table) => is(table, PgTable));

describe('the schema', () => {
  let opened: TestDesk;
  let db: Db;
  before(async () => {
    opened = await openTestDesk();
    db = opened.desk.database;
  });
  after(() => opened.close());

  it('names the tables, columns, types and defaults that the migrations build', async () => {
    const built = await rowsOf<{ name: string }>(
      db,
      sql`select a.attrelid::regclass || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end
            || case when a.atthasdef or a.attidentity <> '' then ' default' else '' end as name
          from pg_attribute a join pg_class c on c.oid = a.attrelid
          where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'attache_migrations' and a.attnum > 0`,
    );
    const declared = TABLES.flatMap((table) =>
      getTableConfig(table).columns.map((column) => {
        const isFilled = column.hasDefault || column.generatedIdentity !== undefined || column.generated !== undefined;
        // Keys of several columns are not marked on the columns.
        const isKey = getTableConfig(table).primaryKeys.some((key) => key.columns.includes(column));
        return `${getTableConfig(table).name}.${column.name} ${column.getSQLType()}${column.notNull || isKey ? ' not null' : ''}${isFilled ? ' default' : ''}`;
      }),
    );
    assert.deepEqual(declared.sort(), built.map(({ name }) => name).sort());
  });

  it('names the indexes that the migrations build', async () => {
    const built = await rowsOf<{ name: string }>(
      db,
      sql`select i.relname || case when x.indisunique then ' unique' else '' end || case when x.indpred is null then '' else ' partial' end || ': '
            || (select string_agg(replace(pg_get_indexdef(x.indexrelid, n, true), '"', ''), ', ' order by n) from generate_series(1, x.indnkeyatts) n) as name
          from pg_index x join pg_class i on i.oid = x.indexrelid
          where i.relnamespace = 'public'::regnamespace and not x.indisprimary`,
    );
    const declared = TABLES.flatMap((table) => {
      const { indexes, uniqueConstraints } = getTableConfig(table);
      return [
        ...indexes.map(({ config }) => {
          const columns = config.columns.map((column) => (is(column, IndexedColumn) ? column.name : '?')).join(', ');
          return `${config.name}${config.unique ? ' unique' : ''}${config.where === undefined ? '' : ' partial'}: ${columns}`;
        }),
        ...uniqueConstraints.map(
          (constraint) =>
            `${constraint.getName()} unique: ${constraint.columns.map((column) => column.name).join(', ')}`,
        ),
      ];
    });
    assert.deepEqual(declared.sort(), built.map(({ name }) => name).sort());
  });
});

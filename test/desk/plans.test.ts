import assert from 'node:assert/strict';
import { type SQL, sql } from 'drizzle-orm';
import { undeliveredActs } from '../../src/desk/runs/acts.ts';
import { type Db, rowsOf } from '../../src/desk/database/database.ts';
import { undeliveredEvents } from '../../src/desk/events/deliveries.ts';
import { uncheckedRuns } from '../../src/desk/runs/runs.ts';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';

const ROWS = 10_000;

/** As a desk is after some months: nearly all is over, a few things are not. */
const FILL = [
  `insert into runs (attachment, tenant, subject, slot, agent, status, attached_at, ticks, failures, workflow_id, config, state, checked_at)
   select 'run-' || n, 'acme', 'conversation/c' || n, 'answering', 'lead', case when n % 10 = 0 then 'IN_PROGRESS' else 'COMPLETED' end,
     now() - interval '1 day', 1, 0, 'run/acme/conversation/c' || n || '/answering', '{}', '{}', now() - n * interval '1 second'
   from generate_series(1, ${ROWS}) n`,
  `insert into acts (tenant, subject, slot, act, actor, at, pending)
   select 'acme', 'conversation/c' || n, 'answering', 'takeover', 'Eva', now() - interval '1 hour', n % 1000 in (0, 1) from generate_series(1, ${ROWS}) n`,
  `insert into events (tenant, source, id, type, subject, time, stored_at, data, status)
   select 'acme', 'api', 'e' || n, 'message.inbound', 'conversation/c' || n, now(), now() - interval '1 hour', '{}',
     case when n % 1000 = 0 then 'stored' else 'delivered' end
   from generate_series(1, ${ROWS}) n`,
  `analyze`,
];

for (const kind of DATABASES)
  describe(`what the reconciler asks every other second of a big desk on ${kind}`, () => {
    let opened: TestDesk;
    let db: Db;
    before(async () => {
      opened = await openTestDesk(kind);
      db = opened.desk.database;
      for (const statement of FILL) await db.execute(sql.raw(statement));
    });
    after(() => opened.close());

    /** Every scan in the plan: `Index Scan acts_pending`, `Seq Scan runs`. */
    async function scansOf(query: SQL): Promise<string[]> {
      const plan = await rowsOf<Record<string, unknown>>(db, sql`explain (costs off) ${query}`);
      return plan
        .map((row) => String(row['QUERY PLAN']))
        .flatMap(
          (line) => /(Seq Scan on|(?:Bitmap )?Index (?:Only )?Scan (?:using|on)) (\w+)/.exec(line)?.slice(1) ?? [],
        )
        .reduce<string[]>((scans, word, n) => (n % 2 === 0 ? scans : [...scans, word]), []);
    }

    it('reads pending acts alone, and their runs by name', async () => {
      const scans = await scansOf(undeliveredActs(db, 200).getSQL());
      assert.deepEqual([...new Set(scans)].sort(), ['acts_pending', 'runs_name']);
    });

    it('reads the head of the undelivered events', async () => {
      assert.deepEqual(await scansOf(undeliveredEvents(db, { olderThanMs: 3_000, limit: 200 }).getSQL()), [
        'events_undelivered',
      ]);
    });

    it('reads the head of the live runs by when they were checked', async () => {
      assert.deepEqual([...new Set(await scansOf(uncheckedRuns(db, 50).getSQL()))].sort(), [
        'runs_pkey',
        'runs_unchecked',
      ]);
    });

    it('settles acts of long ago that concern no live run, and keeps telling those that do', async () => {
      const told = await undeliveredActs(db, 200);
      assert.equal(told.length, ROWS / 1000);
      const pending = await rowsOf<{ subject: string }>(db, sql`select subject from acts where pending order by id`);
      assert.deepEqual(
        pending.map(({ subject }) => subject),
        told.map(({ subject }) => subject),
      );
    });
  });

/** What becomes of runs, written down. The first end wins, and whatever comes after it changes nothing. */
import { and, eq, lt, sql, type SQL } from 'drizzle-orm';
import type { AttachmentId } from '../../domain/ids.ts';
import type { Announce } from '../announcements/announce.ts';
import { attachedFact, endFacts } from '../announcements/facts.ts';
import { letGo } from '../conversations/ownership.ts';
import { type Db, lock } from '../database/database.ts';
import type { ActRecord, RunRecord, Runs } from '../desk.ts';
import { followers } from '../fan-out/schema.ts';
import { insertActs } from './acts.ts';
import { prepareRecordTick } from './record-tick.ts';
import { runs } from './schema.ts';

type Row = typeof runs.$inferSelect;
type RunWrites = Pick<
  Runs,
  'insertIfAbsent' | 'recordPrepared' | 'recordTick' | 'recordThinking' | 'recordHeldUp' | 'recordPhase' | 'recordEnd'
>;

export function createRunWrites(db: Db, announce: Announce): RunWrites {
  return {
    insertIfAbsent: (run, began) => db.transaction((tx) => insertIfAbsent(tx, { run, began, announce })),
    recordPrepared: (change) => recordPrepared(db, change),
    recordTick: prepareRecordTick(db),
    recordThinking: (change) => recordThinking(db, change),
    recordHeldUp: (change) => recordHeldUp(db, change),
    recordPhase: (change) => setPhase(db, change),
    recordEnd: (end) => db.transaction((tx) => recordEnd(tx, end, announce)),
  };
}

async function insertIfAbsent(
  tx: Db,
  {
    run,
    began,
    announce,
  }: { readonly run: RunRecord; readonly began: 'attach' | 'handback' | undefined; readonly announce: Announce },
): Promise<boolean> {
  const isNew = { attachment: runs.attachment };
  const inserted = await tx.insert(runs).values(toRow(run)).onConflictDoNothing().returning(isNew);
  if (inserted.length === 0) return false;
  if (began !== undefined) await insertActs(tx, [beginningOf(run, began)]);
  await announce(tx, [attachedFact(run)]);
  return true;
}

function beginningOf(run: RunRecord, act: 'attach' | 'handback'): ActRecord {
  const { tenant, subject, slot, id, actor, comment, attachedAt: at } = run;
  return { tenant, subject, slot, attachment: id as AttachmentId, act, actor: actor ?? 'unknown', comment, at };
}

/** With what it follows, if it is live: a run that has ended follows nothing. */
async function recordPrepared(
  db: Db,
  { attachment, topics = [], ...resolved }: Parameters<Runs['recordPrepared']>[0],
): Promise<void> {
  const prepared = db.$with('prepared').as(
    db
      .update(runs)
      .set({ ...resolved, heldUp: null })
      .where(isLive(attachment))
      .returning({ tenant: runs.tenant, attachment: runs.attachment }),
  );
  const followed = sql`select ${prepared.tenant}, topic, ${prepared.attachment} from ${prepared}, jsonb_array_elements_text(${JSON.stringify(topics)}::jsonb) as topic`;
  await db.with(prepared).insert(followers).select(followed).onConflictDoNothing();
}

/** It may come after the record of the wake-up that it tells of, and then changes nothing. */
async function recordThinking(db: Db, { attachment, tick }: Parameters<Runs['recordThinking']>[0]): Promise<void> {
  await db
    .update(runs)
    .set({ phase: 'thinking', heldUp: null })
    .where(and(isLive(attachment), eq(runs.phase, 'asleep'), lt(runs.ticks, tick)));
}

async function recordHeldUp(db: Db, { attachment, why }: Parameters<Runs['recordHeldUp']>[0]): Promise<void> {
  const isNews = sql`${runs.heldUp} is distinct from ${why}::text`;
  await db
    .update(runs)
    .set({ heldUp: why })
    .where(and(isLive(attachment), isNews));
}

export async function setPhase(db: Db, { attachment, ...change }: Parameters<Runs['recordPhase']>[0]): Promise<void> {
  await db.update(runs).set(change).where(isLive(attachment));
}

async function recordEnd(
  tx: Db,
  { run, unhandled }: Parameters<Runs['recordEnd']>[0],
  announce: Announce,
): Promise<boolean> {
  await lock(tx, [['subject', run.tenant, run.subject]]);
  const row = { ...toRow(run), phase: null, nextRunAt: null, heldUp: null, unhandled };
  const first = await tx
    .insert(runs)
    .values(row)
    .onConflictDoUpdate({ target: runs.attachment, set: row, setWhere: eq(runs.status, 'IN_PROGRESS') })
    .returning({ attachment: runs.attachment });
  // After the row, which a prepare that is still at it holds: it cannot make an ended run follow anything.
  await tx.delete(followers).where(eq(followers.attachment, row.attachment));
  if (first.length === 0) return false;
  await letGo(tx, run);
  await announce(tx, endFacts({ ...run, nextRunAt: null }));
  return true;
}

function isLive(attachment: Row['attachment']): SQL | undefined {
  return and(eq(runs.attachment, attachment), eq(runs.status, 'IN_PROGRESS'));
}

function toRow({ id, ...run }: RunRecord): typeof runs.$inferInsert {
  return { ...run, attachment: id as Row['attachment'], workflowId: run.workflowId as Row['workflowId'] };
}

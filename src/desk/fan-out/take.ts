/** Whose turn it is in a fan-out. */
import { and, asc, eq, gt } from 'drizzle-orm';
import { isOver } from '../../domain/fan-out.ts';
import { now, theRow, type Db } from '../database/database.ts';
import type { FanOuts, Recipient } from '../ports/fan-outs.ts';
import { runs } from '../runs/schema.ts';
import { recipientsOf } from './recipients.ts';
import { type FanOutRow, named, toFanOut } from './rows.ts';
import { fanOutRecipients, fanOuts } from './schema.ts';

/**
 * The next page is written down as pending, and the place moved on, in one transaction and before anything is done to
 * them: after a kill they are found here again, whether or not they still fit the filter.
 */
export async function take(tx: Db, { limit, ...ref }: Parameters<FanOuts['take']>[0]): ReturnType<FanOuts['take']> {
  // One at a time: an attempt that was given up may still be at it.
  const [row] = await tx.select().from(fanOuts).where(named(ref)).for('update');
  if (row === undefined) return null;
  if (isOver(row.state)) return { fanOut: toFanOut(row), recipients: [] };
  const waiting = await pendingOnes(tx, row, limit);
  if (waiting.length > 0) return { fanOut: toFanOut(row), recipients: waiting };
  const next = row.exhausted ? [] : await nextPage(tx, row, limit);
  const changed = await tx
    .update(fanOuts)
    .set(
      next.length === 0
        ? { exhausted: true, state: row.state === 'stopping' ? 'cancelled' : 'done', touchedAt: now, finishedAt: now }
        : { exhausted: next.length < limit, place: next.at(-1)?.attachment ?? row.place, touchedAt: now },
    )
    .where(eq(fanOuts.id, row.id))
    .returning();
  return { fanOut: toFanOut(theRow(changed)), recipients: next };
}

export async function pendingOnes(tx: Db, { id }: Pick<FanOutRow, 'id'>, limit: number): Promise<Recipient[]> {
  const rows = await tx
    .select()
    .from(fanOutRecipients)
    .where(and(eq(fanOutRecipients.fanOut, id), eq(fanOutRecipients.state, 'pending')))
    .orderBy(asc(fanOutRecipients.attachment))
    .limit(limit);
  return rows.map(({ attachment, subject, slot, workflowId, attempts }) => ({
    ...{ attachment, subject, slot, workflowId, attempts },
  }));
}

async function nextPage(tx: Db, row: FanOutRow, limit: number): Promise<Recipient[]> {
  const found = await tx
    .select({
      attachment: runs.attachment,
      subject: runs.subject,
      slot: runs.slot,
      workflowId: runs.workflowId,
    })
    .from(runs)
    .where(and(recipientsOf(row), gt(runs.attachment, row.place as Recipient['attachment'])))
    .orderBy(asc(runs.attachment))
    .limit(limit);
  if (found.length > 0)
    await tx
      .insert(fanOutRecipients)
      .values(found.map((run) => ({ ...run, fanOut: row.id })))
      .onConflictDoNothing();
  return found.map((run) => ({ ...run, attempts: 0 }));
}

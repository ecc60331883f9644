/** What became of recipients: written once each, with all that follows from it. */
import { and, eq, sql } from 'drizzle-orm';
import type { AttachmentId } from '../../domain/ids.ts';
import { insertActs } from '../runs/acts.ts';
import { lock, now, type Db } from '../database/database.ts';
import type { AcceptedAct, FanOuts, Recipient, Settled } from '../ports/fan-outs.ts';
import { setPhase } from '../runs/record-run.ts';
import { deliveries } from '../schema.ts';
import { type FanOutRow, named } from './rows.ts';
import { fanOutRecipients, fanOuts } from './schema.ts';

type Change = Parameters<FanOuts['settle']>[0];

export async function settle(tx: Db, { results, ...ref }: Change): Promise<void> {
  const acted = results.filter((one) => one.state === 'done' && one.accepted !== undefined);
  await lock(
    tx,
    acted.map(({ recipient }) => ['subject', ref.tenant, recipient.subject] as const),
  );
  const [row] = await tx.select().from(fanOuts).where(named(ref)).for('update');
  if (row === undefined) return;
  const counts = { done: 0, skipped: 0, failed: 0, pending: 0 };
  const settled: Settled[] = [];
  for (const result of results) {
    if (!(await settleOne(tx, row, result))) continue;
    counts[result.state] += 1;
    settled.push(result);
  }
  await tx
    .update(fanOuts)
    .set({
      done: row.done + counts.done,
      skipped: row.skipped + counts.skipped,
      failed: row.failed + counts.failed,
      touchedAt: now,
    })
    .where(eq(fanOuts.id, row.id));
  const done = settled.filter((one) => one.state === 'done');
  if (row.task.kind === 'topic')
    await recordDeliveries(
      tx,
      row.task.event.id,
      done.map(({ recipient }) => recipient.attachment),
    );
  else await recordActs(tx, row, done);
}

/** False: it had been settled before. */
async function settleOne(tx: Db, { id }: FanOutRow, result: Settled): Promise<boolean> {
  const isOpen = result.state === 'pending';
  const changed = await tx
    .update(fanOutRecipients)
    .set(
      isOpen
        ? { attempts: sql`${fanOutRecipients.attempts} + 1` }
        : { state: result.state, reason: result.state === 'done' ? null : result.reason, at: now },
    )
    .where(
      and(
        eq(fanOutRecipients.fanOut, id),
        eq(fanOutRecipients.attachment, result.recipient.attachment),
        eq(fanOutRecipients.state, 'pending'),
      ),
    )
    .returning({ attachment: fanOutRecipients.attachment });
  return changed.length > 0;
}

async function recordDeliveries(tx: Db, event: string, attachments: readonly AttachmentId[]): Promise<void> {
  if (attachments.length === 0) return;
  await tx
    .insert(deliveries)
    .values(attachments.map((attachment) => ({ eventKey: event, attachment })))
    .onConflictDoNothing();
}

async function recordActs(
  tx: Db,
  { tenant }: FanOutRow,
  done: readonly { readonly recipient: Recipient; readonly accepted?: AcceptedAct }[],
): Promise<void> {
  const acts = done.flatMap(({ recipient, accepted }) => (accepted === undefined ? [] : [{ recipient, accepted }]));
  await insertActs(
    tx,
    acts.map(({ recipient: { subject, slot, attachment }, accepted: { act, actor, comment, at } }) => ({
      ...{ tenant, subject, slot, attachment, act, actor, comment, at },
    })),
  );
  for (const { recipient, accepted } of acts) {
    const { act, actor, comment, run } = accepted;
    if (run === undefined) continue;
    await setPhase(tx, {
      attachment: recipient.attachment,
      phase: run.phase,
      ...(run.nextRunAt === null ? {} : { nextRunAt: run.nextRunAt }),
      ...(run.nextRunWhy === null ? {} : { nextRunWhy: run.nextRunWhy }),
      ...(act === 'pause' ? { actor, ...(comment === null ? {} : { comment }) } : {}),
    });
  }
}

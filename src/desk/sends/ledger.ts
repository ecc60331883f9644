/** The ledger of effects: what makes each happen once. Every step is one conditional write. */
import { and, eq, getTableColumns, inArray, ne, or, sql } from 'drizzle-orm';
import { type EffectKey, parseEffectKey, parseRunWorkflowId } from '../../domain/ids.ts';
import { type Db, lock, now, theRow } from '../database/database.ts';
import type { Ledger, LedgerRow } from '../desk.ts';
import type { Announce } from '../announcements/announce.ts';
import { effectFacts } from '../announcements/facts.ts';
import { recordSent } from './record-sent.ts';
import { ledger } from './schema.ts';
import { messages } from '../schema.ts';

type Row = typeof ledger.$inferSelect;
type AgedRow = Row & { readonly sendingForMs: number | null };

const AGED = {
  ...getTableColumns(ledger),
  sendingForMs: sql<number | null>`extract(epoch from clock_timestamp() - ${ledger.sendingSince})::float8 * 1000`,
};

/** What a row becomes that the run no longer wants, or could not have done in time. */
const UNSENT = { cancelled: 'cancelled', given_up: 'failed' } as const;

/** Tells people of an effect that was not done, within the transaction of the fact. */
export type TellFailed = (
  tx: Db,
  row: Row,
  failure: { readonly state: 'failed' | 'unknown'; readonly reason: string; readonly unreachable: boolean },
) => Promise<void>;

/** Says anew what a fact means that was taken for the echo of this send, until the send's own id was known; within that transaction. */
export type CorrectEcho = (tx: Db, send: Row, takenFor: string | null) => Promise<void>;

export function createTellFailed(announce: Announce): TellFailed {
  return async (tx, row, failure) => announce(tx, effectFacts(row, { ...failure, ...parseEffectKey(row.key) }));
}

export function createLedger(
  db: Db,
  { tellFailed, correctEcho }: { readonly tellFailed: TellFailed; readonly correctEcho: CorrectEcho },
): Ledger {
  return {
    async claim(claim) {
      const { kind } = claim.effect;
      const claimed = await db
        .insert(ledger)
        .values({ ...claim, kind, proactive: claim.effect.kind === 'message.send' && claim.effect.proactive })
        .onConflictDoUpdate({
          target: ledger.key,
          set: { attempt: claim.attempt, changedAt: now },
          setWhere: eq(ledger.state, 'claimed'),
        })
        .returning(AGED);
      return toLedgerRow(claimed[0] ?? theRow(await byKey(db, claim.key)));
    },
    async beginSending(key, attempt, from) {
      // From `claimed` only the attempt that holds the claim may go on; a resend must come from another than the one that died.
      const holds = from === 'claimed' ? eq(ledger.attempt, attempt) : ne(ledger.attempt, attempt);
      const begun = await db
        .update(ledger)
        .set({
          ...{ state: 'sending', attempt, reason: null, dueAt: null },
          ...{ sendingSince: now, changedAt: now },
        })
        .where(and(eq(ledger.key, key), eq(ledger.state, from), holds))
        .returning({ key: ledger.key });
      return begun.length > 0;
    },
    async notSent(key, attempt) {
      await db
        .update(ledger)
        .set({ state: 'claimed', sendingSince: null, changedAt: now })
        .where(and(eq(ledger.key, key), eq(ledger.state, 'sending'), eq(ledger.attempt, attempt)));
    },
    sent: ({ key, providerId, at }) =>
      db.transaction(async (tx) => {
        const { tenant, subject } = parseRunWorkflowId(parseEffectKey(key).workflowId);
        await lock(tx, [['subject', tenant, subject]]);
        const [row] = await byKey(tx, key);
        if (row === undefined) return;
        await correctEcho(tx, row, await recordSent(tx, row, { providerId, at, isProof: true }));
      }),
    async parked({ key, reason, until }) {
      await db
        .update(ledger)
        .set({ reason, dueAt: until })
        .where(and(eq(ledger.key, key), inArray(ledger.state, ['claimed', 'sending'])));
    },
    settle: (fate) => db.transaction((tx) => settle(tx, fate, tellFailed)),
    async get(key) {
      const [row] = await byKey(db, key);
      return row === undefined ? null : toLedgerRow(row);
    },
    undelivered: (message) => undelivered(db, message),
    async haveArrived(keys) {
      const reached = inArray(messages.status, ['delivered', 'read', 'played']);
      const found = await db
        .select({ key: messages.effectKey })
        .from(messages)
        .where(and(inArray(messages.effectKey, [...keys]), reached))
        .limit(1);
      return found.length > 0;
    },
    async seenByProvider(reference) {
      const [row] = await db
        .select({ providerId: ledger.providerId })
        .from(ledger)
        .where(eq(ledger.reference, reference));
      return row?.providerId ?? null;
    },
  };
}

async function settle(
  tx: Db,
  { key, state, reason, unreachable = false }: Parameters<Ledger['settle']>[0],
  tellFailed: TellFailed,
): Promise<void> {
  // What may be on its way cannot be taken back: whether it went out is then not known, until its echo says so.
  const settled =
    state === 'cancelled' || state === 'given_up'
      ? sql`case when ${ledger.state} = 'sending' then 'unknown' else ${UNSENT[state]} end`
      : state;
  const [row] = await tx
    .update(ledger)
    .set({ state: settled, reason, dueAt: null, changedAt: now })
    .where(and(eq(ledger.key, key), ne(ledger.state, 'sent')))
    .returning();
  if (row === undefined || state === 'cancelled' || (row.state !== 'failed' && row.state !== 'unknown')) return;
  await tellFailed(tx, row, { state: row.state, reason, unreachable });
}

async function undelivered(
  db: Db,
  { tenant, subject, providerId, reference }: Parameters<Ledger['undelivered']>[0],
): ReturnType<Ledger['undelivered']> {
  const isIt = or(eq(ledger.providerId, providerId), reference ? eq(ledger.reference, reference) : undefined);
  const [row] = await db
    .select({
      ...{ key: ledger.key, attachment: ledger.attachment, effect: ledger.effect },
      sentAt: sql<string>`coalesce(${ledger.sentAt}, ${ledger.claimedAt})`.mapWith(ledger.claimedAt),
    })
    .from(ledger)
    .innerJoin(messages, eq(messages.effectKey, ledger.key))
    .where(and(eq(ledger.tenant, tenant), eq(ledger.subject, subject), isIt, eq(messages.status, 'failed')))
    .limit(1);
  return row ?? null;
}

function byKey(db: Db, key: EffectKey): Promise<AgedRow[]> {
  return db.select(AGED).from(ledger).where(eq(ledger.key, key));
}

function toLedgerRow({
  key,
  tenant,
  subject,
  attachment,
  effect,
  reference,
  state,
  attempt,
  providerId,
  reason,
  sendingSince,
  sendingForMs,
}: AgedRow): LedgerRow {
  return {
    ...{ key, tenant, subject, attachment, effect, reference, state, attempt, providerId, reason },
    ...{ sendingSince, sendingForMs },
  };
}

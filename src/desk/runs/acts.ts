/** What people asked of runs, and whether any of it speaks against a send. */
import { and, asc, eq, getTableColumns, inArray, isNotNull, isNull, or, sql, type SQL } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { conversationOf, type Slot } from '../../domain/ids.ts';
import { alongside, type Db, lock } from '../database/database.ts';
import type { ActRecord, Acts, Desk } from '../desk.ts';
import { holdByHuman, isHandOffOf, notBefore } from '../conversations/ownership.ts';
import { audit } from '../people/schema.ts';
import { acts, runs } from './schema.ts';
import { switches } from '../switches.ts';
import { deliveries, events } from '../schema.ts';
import { covers } from '../switches.ts';

type Question = Parameters<Acts['objection']>[0];
type Objection = NonNullable<Awaited<ReturnType<Acts['objection']>>>;

export function createActs(db: Db): Desk['acts'] {
  return {
    record: (act) =>
      db.transaction(async (tx) => {
        await lock(tx, [['subject', act.tenant, act.subject]]);
        await insertActs(tx, [act]);
        const conversation = conversationOf(act.subject);
        if (act.act === 'takeover' && conversation !== undefined)
          await holdByHuman(tx, { tenant: act.tenant, id: conversation, at: act.at, by: act.actor });
      }),
    recordAsked: (asked) =>
      db.transaction(async (tx) => {
        const [first] = asked;
        if (first === undefined) return;
        await lock(tx, [['subject', first.tenant, first.subject]]);
        for (const act of asked) if (!(await isRecorded(tx, act))) await insertAsked(tx, act);
      }),
    async objection(question) {
      const found = await unionAll(
        db
          .select({
            reason: sql<Objection>`case ${acts.act} when 'detach' then 'detached' else 'taken_over' end`.as('reason'),
            rank: sql<number>`1`.as('rank'),
          })
          .from(acts)
          .where(objectingActs(question)),
        db
          .select({ reason: sql<Objection>`${events.tookOver}`.as('reason'), rank: sql<number>`2`.as('rank') })
          .from(events)
          .where(objectingEvents(question)),
        db
          .select({ reason: sql<Objection>`'switched_off'`.as('reason'), rank: sql<number>`3`.as('rank') })
          .from(switches)
          .where(covers(question)),
      )
        .orderBy(sql`rank`)
        .limit(1);
      return found[0]?.reason ?? null;
    },
    undelivered: (limit) => undeliveredActs(db, limit),
  };
}

async function isRecorded(tx: Db, { attachment, act, actor, at }: ActRecord): Promise<boolean> {
  const same = and(eq(acts.act, act), eq(acts.actor, actor), eq(acts.at, at));
  return attachment !== null && (await tx.$count(acts, and(eq(acts.attachment, attachment), same))) > 0;
}

/** In the audit as the API's own acts are, which a run takes with 200. */
async function insertAsked(tx: Db, asked: ActRecord & { readonly slot: Slot }): Promise<void> {
  const { tenant, subject, slot, act, actor, comment: reason, at } = asked;
  await insertActs(tx, [asked]);
  await tx
    .insert(audit)
    .values({ tenant, at, actor, act: `runs.${act}`, target: `${subject}/${slot}`, reason, status: 200 });
}

/** The caller holds the subjects' locks, but for the act that begins a run: nothing is held back by it. */
export async function insertActs(tx: Db, asked: readonly ActRecord[]): Promise<void> {
  if (asked.length === 0) return;
  const isPending = ({ act }: ActRecord) => act === 'takeover' || act === 'detach';
  await tx.insert(acts).values(asked.map((act) => ({ ...act, pending: isPending(act) })));
}

/**
 * After this long an act that concerns no live run is settled: the row of a run that began just before the act is written
 * by then. Every act stays pending for this long, so what the reconciler reads is what was asked in the last minutes.
 */
const ACT_GRACE = sql`interval '10 minutes'`;

/** More than a subject has: a limit only keeps the lookup from being planned as a join. */
const RUNS_PER_ACT = 1_000;

/**
 * Reads the pending acts alone (`acts_pending`, a partial index) and looks the runs of each up by name (`runs_name`): its cost
 * follows from what was asked lately, not from how many acts are kept.
 */
export function undeliveredActs(db: Db, limit: number) {
  const { id, pending, ...stored } = getTableColumns(acts);
  // Each act's runs are looked up for themselves, here and below: a join or a `not exists` is planned as a read of all live runs.
  const live = db
    .select({ one: sql`1` })
    .from(runs)
    .where(and(concernsLiveRun(), stillToBeSaid()))
    .limit(1);
  const settled = db
    .update(acts)
    .set({ pending: false })
    .where(and(sql`${pending}`, sql`${acts.at} < clock_timestamp() - ${ACT_GRACE}`, sql`${live} is null`));
  const theirs = db
    .select({ workflowId: runs.workflowId })
    .from(runs)
    .where(and(concernsLiveRun(), stillToBeSaid()))
    .limit(RUNS_PER_ACT)
    .as('theirs');
  return db
    .with(...alongside(db, [settled]))
    .select({ ...stored, workflowId: theirs.workflowId })
    .from(acts)
    .innerJoinLateral(theirs, sql`true`)
    .where(sql`${pending}`)
    .orderBy(asc(id))
    .limit(limit);
}

/** Takeovers and detaches that name this attachment, or name none and came since it began. */
function objectingActs({ tenant, subject, slot, attachment, attachedAt, onHumanMessage }: Question): SQL | undefined {
  return and(
    eq(acts.tenant, tenant),
    eq(acts.subject, subject),
    inArray(acts.act, ['takeover', 'detach']),
    or(isNull(acts.slot), eq(acts.slot, slot)),
    or(eq(acts.attachment, attachment), and(isNull(acts.attachment), notBefore(acts.at, attachedAt))),
    // Asked for by name, or a detach: holds whatever the agent says of humans. Else a takeover is a human's message.
    onHumanMessage === 'end'
      ? undefined
      : or(
          eq(acts.act, 'detach'),
          isNotNull(acts.slot),
          isNotNull(acts.attachment),
          onHumanMessage === 'pause' ? not(resumedSince(acts.at)) : undefined,
        ),
  );

  function resumedSince(since: typeof acts.at): SQL {
    return sql`exists (select 1 from ${acts} as resumed where resumed.tenant = ${tenant} and resumed.subject = ${subject} and resumed.act = 'resume' and (resumed.slot is null or resumed.slot = ${slot}) and resumed.at >= ${since})`;
  }
}

/**
 * Human facts since this attachment began, by the provider's time. An agent that pauses on them is paused once the fact
 * has been delivered (then its own half of the permit speaks), and goes on when somebody has resumed it.
 */
function objectingEvents({ tenant, subject, slot, attachment, attachedAt, onHumanMessage }: Question): SQL | undefined {
  const delivered = sql`exists (select 1 from ${deliveries} where ${deliveries.eventKey} = ${events.key} and ${deliveries.attachment} = ${attachment})`;
  const resumed = sql`exists (select 1 from ${acts} where ${acts.tenant} = ${tenant} and ${acts.subject} = ${subject} and ${acts.act} = 'resume' and (${acts.slot} is null or ${acts.slot} = ${slot}) and ${acts.at} >= ${events.time})`;
  return and(
    onHumanMessage === 'ignore' ? sql`false` : undefined,
    eq(events.tenant, tenant),
    eq(events.subject, subject),
    isNotNull(events.tookOver),
    isNull(events.droppedAt),
    notBefore(events.time, attachedAt),
    not(isHandOffOf(attachment)),
    onHumanMessage === 'pause' ? and(not(delivered), not(resumed)) : undefined,
  );
}

function not(condition: SQL): SQL {
  return sql`not ${condition}`;
}

function concernsLiveRun(): SQL | undefined {
  return and(
    eq(runs.tenant, acts.tenant),
    eq(runs.subject, acts.subject),
    eq(runs.status, 'IN_PROGRESS'),
    or(isNull(acts.slot), eq(runs.slot, acts.slot)),
    or(eq(acts.attachment, runs.attachment), and(isNull(acts.attachment), notBefore(acts.at, runs.attachedAt))),
  );
}

/** A run that only pauses for humans, or ignores them, lives on after a takeover of the whole subject: it is not told for ever. */
function stillToBeSaid(): SQL | undefined {
  const onHumanMessage = sql`coalesce(${runs.policy} ->> 'onHumanMessage', 'end')`;
  return or(eq(acts.act, 'detach'), isNotNull(acts.slot), isNotNull(acts.attachment), sql`${onHumanMessage} = 'end'`);
}

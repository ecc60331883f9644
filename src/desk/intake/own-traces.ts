/** Our own doings, seen from outside: which message, send, close or hand-off of ours a fact is about. */
import { and, desc, eq, inArray, isNull, ne, notExists, or, sql, type SQL } from 'drizzle-orm';
import { textOf } from '../../domain/contents.ts';
import type { ConversationId, Subject, TenantId } from '../../domain/ids.ts';
import type { OutboundMessage } from '../../domain/schemas/events.ts';
import type { Db } from '../database/database.ts';
import { recordSent } from '../sends/record-sent.ts';
import { hasRunSince } from '../conversations/ownership.ts';
import { ledger } from '../sends/schema.ts';
import { conversations, messages } from '../schema.ts';
import type { Fact } from './fact.ts';

export type LedgerEntry = typeof ledger.$inferSelect;

/**
 * How long after it the echo of a close or a hand-off, or of a send whose answer was lost, may come and still be taken for
 * ours without an id that proves it. Chatwoot posts within seconds and retries for minutes.
 */
const ECHO_WINDOW = sql`interval '10 minutes'`;
/** What an inbox makes of one hand-off by itself happens in seconds; a person takes longer to read why. */
const ECHO_MOMENT = sql`interval '10 seconds'`;

/**
 * The conversation of the message that this fact is about; as an expression, null when there is none. Our reference is
 * unique and goes first; a provider's id is one of its own account, so it counts within the fact's channel only.
 */
export function conversationOfMessage(db: Db, { tenant, channel, event }: Fact): SQL {
  const { providerId, reference } = idsIn(event);
  if (providerId === undefined && reference === undefined) return sql`null`;
  const byReference = (table: typeof ledger | typeof messages) =>
    desc(sql`${table.reference} is not distinct from ${reference ?? null}::text`);
  const isAbout = (table: typeof ledger | typeof messages, conversation: SQL) =>
    or(
      reference ? eq(table.reference, reference) : undefined,
      providerId
        ? and(eq(table.providerId, providerId), isOfChannel(db, { tenant, channel, conversation }))
        : undefined,
    );
  const conversationOfSend = sql`split_part(${ledger.subject}, '/', 2)`;
  const send = db
    .select({ id: conversationOfSend })
    .from(ledger)
    .where(and(eq(ledger.tenant, tenant), isAbout(ledger, conversationOfSend)))
    .orderBy(byReference(ledger))
    .limit(1);
  const message = db
    .select({ id: messages.conversation })
    .from(messages)
    .where(and(eq(messages.tenant, tenant), isAbout(messages, sql`${messages.conversation}`)))
    .orderBy(byReference(messages), desc(messages.seq))
    .limit(1);
  // A send on the business has no conversation, nor has its message.
  return sql`nullif(coalesce(${send}, ${message}), '')`;
}

/** Also where either channel is not known: the API may speak of a conversation before its channel does. */
function isOfChannel(
  db: Db,
  {
    tenant,
    channel,
    conversation,
  }: { readonly tenant: TenantId; readonly channel: string | null; readonly conversation: SQL },
): SQL | undefined {
  if (channel === null) return undefined;
  const elsewhere = db
    .select({ one: sql`1` })
    .from(conversations)
    .where(
      and(eq(conversations.tenant, tenant), eq(conversations.id, conversation), ne(conversations.channel, channel)),
    );
  return notExists(elsewhere);
}

interface Ids {
  readonly providerId?: string | undefined;
  readonly reference?: string | undefined;
}

export async function messageByIds(
  tx: Db,
  {
    tenant,
    providerId,
    reference,
    conversation,
    direction,
  }: Ids & {
    readonly tenant: TenantId;
    readonly conversation?: ConversationId;
    readonly direction?: 'in' | 'out';
  },
): Promise<typeof messages.$inferSelect | undefined> {
  const match = matchOf(messages, { providerId, reference });
  if (match === undefined) return undefined;
  const [row] = await tx
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.tenant, tenant),
        match,
        conversation && eq(messages.conversation, conversation),
        direction && eq(messages.direction, direction),
      ),
    )
    .orderBy(desc(messages.seq))
    .limit(1);
  return row;
}

/** A send (or note) of ours by what a provider handed back. */
export async function sendByIds(
  tx: Db,
  { tenant, providerId, reference, subject }: Ids & { readonly tenant: TenantId; readonly subject?: Subject | null },
): Promise<LedgerEntry | undefined> {
  const match = matchOf(ledger, { providerId, reference });
  if (match === undefined) return undefined;
  const [row] = await tx
    .select()
    .from(ledger)
    .where(and(eq(ledger.tenant, tenant), match, subject ? eq(ledger.subject, subject) : undefined))
    .limit(1);
  return row;
}

/** The send of ours whose echo this is: by id, or, while one is under way, by having the same words. */
export async function sendEchoedBy(
  tx: Db,
  {
    tenant,
    subject,
    message,
  }: { readonly tenant: TenantId; readonly subject: Subject; readonly message: OutboundMessage },
): Promise<LedgerEntry | undefined> {
  const byIds = await sendByIds(tx, { tenant, subject, providerId: message.providerId, reference: message.reference });
  if (byIds !== undefined) return byIds;
  const text = textOf(message.content);
  if (text === null) return undefined;
  const kind = message.private ? 'note.add' : 'message.send';
  const underWay = or(eq(ledger.state, 'sending'), and(eq(ledger.state, 'unknown'), isRecent()));
  const [row] = await tx
    .select()
    .from(ledger)
    .where(
      and(
        eq(ledger.tenant, tenant),
        eq(ledger.subject, subject),
        eq(ledger.kind, kind),
        underWay,
        sql`${ledger.effect} ->> 'text' = ${text}`,
      ),
    )
    .orderBy(ledger.claimedAt)
    .limit(1);
  return row;
}

/**
 * The close or hand-off of ours that this fact is the echo of. An inbox may tell one in several facts (its status, its
 * team, whom the team assigns): those of one moment are echoes, what happens later is somebody's own doing. What happened
 * once another run was attached is no echo of what came before that run.
 */
export async function takeEcho(
  tx: Db,
  {
    tenant,
    subject,
    kind,
    time,
  }: {
    readonly tenant: TenantId;
    readonly subject: Subject;
    readonly kind: 'conversation.close' | 'conversation.handOff';
    readonly time: string;
  },
): Promise<LedgerEntry | undefined> {
  const [row] = await tx
    .select()
    .from(ledger)
    .where(
      and(
        eq(ledger.tenant, tenant),
        eq(ledger.subject, subject),
        eq(ledger.kind, kind),
        inArray(ledger.state, ['sending', 'sent', 'unknown']),
        or(isNull(ledger.echoedAt), sql`${time}::timestamptz <= ${ledger.echoedAt} + ${ECHO_MOMENT}`),
        isRecent(),
      ),
    )
    .orderBy(desc(ledger.changedAt))
    .limit(1);
  if (row === undefined || (await hasRunSince(tx, { tenant, subject, time, effect: row }))) return undefined;
  await tx
    .update(ledger)
    .set({ echoedAt: sql`coalesce(${ledger.echoedAt}, clock_timestamp())` })
    .where(eq(ledger.key, row.key));
  await recordSent(tx, row, { providerId: null, at: time });
  return row;
}

function isRecent(): SQL {
  return sql`${ledger.changedAt} > clock_timestamp() - ${ECHO_WINDOW}`;
}

function matchOf(table: typeof ledger | typeof messages, { providerId, reference }: Ids): SQL | undefined {
  return or(
    providerId ? eq(table.providerId, providerId) : undefined,
    reference ? eq(table.reference, reference) : undefined,
  );
}

function idsIn(event: Fact['event']): Ids {
  switch (event.type) {
    case 'message.outbound':
    case 'message.status':
      return { providerId: event.data.providerId, reference: event.data.reference };
    case 'message.reaction':
    case 'message.edited':
    case 'message.deleted':
      return { providerId: event.data.about };
    default:
      return {};
  }
}

/** People, found by any name a provider has for them. */
import { randomUUID } from 'node:crypto';
import { and, eq, inArray, isNull, lt, lte, or, sql, type SQLWrapper } from 'drizzle-orm';
import type { TenantId } from '../../domain/ids.ts';
import type { ContactRef, MarketingChoice } from '../../domain/schemas/events.ts';
import { alongside, type Db, type LockName, theRow } from '../database/database.ts';
import { contactAddresses, contacts, type ConversationRow } from '../schema.ts';

export type ContactRow = typeof contacts.$inferSelect;

/** A reference may lack its address: an update of the contact that a conversation already has. */
export type PartialRef = { readonly [Field in keyof ContactRef]?: ContactRef[Field] | undefined };

export interface Named {
  readonly tenant: TenantId;
  readonly channel: string | null;
  readonly ref: PartialRef;
}

/** Nobody else finds, creates or renames this person while these are held. To be taken before a subject's. */
export function contactLocks({ tenant, channel, ref }: Named): LockName[] {
  return namesOf(ref).map((name) => ['contact', tenant, kindOf(channel), name] as const);
}

/** By the first of its names that is known. */
export async function findContact(tx: Db, { tenant, channel, ref }: Named): Promise<ContactRow | undefined> {
  const names = namesOf(ref);
  if (names.length === 0) return undefined;
  const found = await tx
    .select({ name: contactAddresses.address, contact: contacts })
    .from(contactAddresses)
    .innerJoin(contacts, eq(contacts.id, contactAddresses.contactId))
    .where(
      and(
        eq(contactAddresses.tenant, tenant),
        eq(contactAddresses.kind, kindOf(channel)),
        inArray(contactAddresses.address, names),
      ),
    );
  return names.flatMap((name) => found.filter((row) => row.name === name))[0]?.contact;
}

/** What a fact tells of a person, gathered to be written. */
export interface Learnt {
  readonly contact: ContactRow;
  /** Columns of the contact that change. */
  readonly changes: Partial<typeof contacts.$inferInsert>;
  /** The conversation is not known to be theirs yet. */
  readonly isNewHere: boolean;
}

/**
 * Learns what a fact tells of a person, and that the conversation is theirs. `named` is the person found by the fact's names;
 * else names unknown so far become more names of the conversation's own contact. `spoke`: the fact is the person's own message,
 * so replies go to where it came from. An older fact fills gaps and overwrites nothing. Null: it tells of nobody.
 */
export function learn({
  conversation,
  contact,
  ref,
  at,
  spoke,
}: {
  readonly conversation: ConversationRow;
  readonly contact: ContactRow | null;
  readonly ref: PartialRef;
  readonly at: string;
  readonly spoke: boolean;
}): Learnt | null {
  if (contact === null) return null;
  const isNews = Date.parse(at) >= Date.parse(contact.knownAt);
  const pick = (told: string | undefined, known: string | null) => (isNews ? (told ?? known) : (known ?? told ?? null));
  return {
    contact,
    changes: {
      name: pick(ref.name, contact.name),
      locale: pick(ref.locale, contact.locale),
      timeZone: pick(ref.timeZone, contact.timeZone),
      country: pick(ref.country, contact.country),
      ...(isNews && { knownAt: at }),
      ...(isNews && spoke && ref.address !== undefined && { address: ref.address }),
    },
    isNewHere: conversation.contactId !== contact.id && (conversation.contactId === null || spoke),
  };
}

/** A person nobody knew, with their names. */
export async function createContact(
  tx: Db,
  { tenant, channel, ref, at }: Named & { readonly ref: ContactRef; readonly at: string },
): Promise<ContactRow> {
  const { address, name, locale, timeZone, country } = ref;
  const id = randomUUID();
  const names = alongside(tx, nameWrites(tx, { tenant, channel, ref, contactId: id }));
  const rows = await tx
    .with(...names)
    .insert(contacts)
    .values({ id, tenant, address, name, locale, timeZone, country, knownAt: at })
    .returning();
  return theRow(rows);
}

/**
 * What a person has decided about marketing, whenever it is told: an older decision never undoes a newer one, and of two of
 * one instant the stop holds.
 */
export async function recordMarketing(
  db: Db,
  { contact, marketing, at }: { readonly contact: string; readonly marketing: MarketingChoice; readonly at: string },
): Promise<void> {
  const { marketingStoppedAt, marketingToldAt } = contacts;
  const told = sql.param(at, marketingToldAt);
  const isStopped = marketing === 'stopped';
  const isNews = isStopped ? lte(marketingToldAt, at) : lt(marketingToldAt, at);
  await db
    .update(contacts)
    .set({ marketingStoppedAt: isStopped ? sql`coalesce(${marketingStoppedAt}, ${told})` : null, marketingToldAt: at })
    .where(and(eq(contacts.id, contact), or(isNull(marketingToldAt), isNews)));
}

export async function contactOf(
  tx: Db,
  { contactId }: Pick<ConversationRow, 'contactId'>,
): Promise<ContactRow | undefined> {
  if (contactId === null) return undefined;
  const [contact] = await tx.select().from(contacts).where(eq(contacts.id, contactId));
  return contact;
}

/** The names of a person, those that are known already included. */
export function nameWrites(
  tx: Db,
  { tenant, channel, ref, contactId }: Named & { readonly contactId: string },
): SQLWrapper[] {
  const rows = nameRows({ tenant, channel, ref, contactId });
  return rows.length === 0 ? [] : [tx.insert(contactAddresses).values(rows).onConflictDoNothing()];
}

export function nameRows({ tenant, channel, ref, contactId }: Named & { readonly contactId: string }) {
  return namesOf(ref).map((address) => ({ tenant, kind: kindOf(channel), address, contactId }));
}

export function namesOf({ address, aliases = [] }: PartialRef): string[] {
  return address === undefined ? [] : [...new Set([address, ...aliases])];
}

/** Numbers of one provider know the same people: names are kept per kind of channel, not per number. */
export function kindOf(channel: string | null): string {
  return channel === null ? 'api' : (channel.split(':')[0] ?? channel);
}

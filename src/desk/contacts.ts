/** People, found by any name a provider has for them. */
import { and, eq, inArray } from 'drizzle-orm';
import type { TenantId } from '../domain/ids.ts';
import type { ContactRef } from '../domain/schemas/events.ts';
import type { ConversationRow } from './conversations.ts';
import { type Db, lock, theRow } from './database.ts';
import { contactAddresses, contacts, conversations } from './schema.ts';

export type ContactRow = typeof contacts.$inferSelect;

/** A reference may lack its address: an update of the contact that a conversation already has. */
export type PartialRef = { readonly [Field in keyof ContactRef]?: ContactRef[Field] | undefined };

interface Named {
  readonly tenant: TenantId;
  readonly channel: string | null;
  readonly ref: PartialRef;
}

/** Nobody else finds, creates or renames this person until the transaction ends. To be taken before a subject's lock. */
export async function lockContact(tx: Db, { tenant, channel, ref }: Named): Promise<void> {
  await lock(
    tx,
    namesOf(ref).map((name) => ['contact', tenant, kindOf(channel), name] as const),
  );
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

/**
 * Learns what a fact tells of a person, and that the conversation is theirs: a name unknown so far becomes one more name of
 * the conversation's contact. `spoke`: the fact is the person's own message, so replies go to where it came from. An older
 * fact fills gaps and overwrites nothing. The caller holds the contact's and the subject's lock.
 */
export async function learnContact(
  tx: Db,
  {
    conversation,
    channel,
    ref,
    at,
    spoke,
  }: {
    readonly conversation: ConversationRow;
    readonly channel: string | null;
    readonly ref: PartialRef;
    readonly at: string;
    readonly spoke: boolean;
  },
): Promise<ContactRow | null> {
  const { tenant } = conversation;
  const known = (await findContact(tx, { tenant, channel, ref })) ?? (await contactOf(tx, conversation));
  const contact =
    known ??
    (ref.address === undefined
      ? null
      : await createContact(tx, { tenant, channel, ref: { ...ref, address: ref.address }, at }));
  if (contact === null) return null;
  if (known !== undefined) {
    await addNames(tx, { tenant, channel, ref, contact });
    await refresh(tx, { contact, ref, at, spoke });
  }
  if (conversation.contactId !== contact.id && (conversation.contactId === null || spoke))
    await tx
      .update(conversations)
      .set({ contactId: contact.id })
      .where(and(eq(conversations.tenant, tenant), eq(conversations.id, conversation.id)));
  return contact;
}

export async function createContact(
  tx: Db,
  {
    tenant,
    channel,
    ref,
    at,
  }: { readonly tenant: TenantId; readonly channel: string | null; readonly ref: ContactRef; readonly at: string },
): Promise<ContactRow> {
  const { address, name, locale, timeZone } = ref;
  const rows = await tx.insert(contacts).values({ tenant, address, name, locale, timeZone, knownAt: at }).returning();
  const contact = theRow(rows);
  await addNames(tx, { tenant, channel, ref, contact });
  return contact;
}

export async function contactOf(
  tx: Db,
  { contactId }: Pick<ConversationRow, 'contactId'>,
): Promise<ContactRow | undefined> {
  if (contactId === null) return undefined;
  const [contact] = await tx.select().from(contacts).where(eq(contacts.id, contactId));
  return contact;
}

async function addNames(
  tx: Db,
  { tenant, channel, ref, contact }: Named & { readonly contact: ContactRow },
): Promise<void> {
  const names = namesOf(ref);
  if (names.length === 0) return;
  await tx
    .insert(contactAddresses)
    .values(names.map((address) => ({ tenant, kind: kindOf(channel), address, contactId: contact.id })))
    .onConflictDoNothing();
}

async function refresh(
  tx: Db,
  {
    contact,
    ref,
    at,
    spoke,
  }: { readonly contact: ContactRow; readonly ref: PartialRef; readonly at: string; readonly spoke: boolean },
): Promise<void> {
  const isNews = Date.parse(at) >= Date.parse(contact.knownAt);
  const pick = (told: string | undefined, known: string | null) => (isNews ? (told ?? known) : (known ?? told ?? null));
  await tx
    .update(contacts)
    .set({
      name: pick(ref.name, contact.name),
      locale: pick(ref.locale, contact.locale),
      timeZone: pick(ref.timeZone, contact.timeZone),
      ...(isNews && { knownAt: at }),
      ...(isNews && spoke && ref.address !== undefined && { address: ref.address }),
    })
    .where(eq(contacts.id, contact.id));
}

function namesOf({ address, aliases = [] }: PartialRef): string[] {
  return address === undefined ? [] : [...new Set([address, ...aliases])];
}

/** Numbers of one provider know the same people: names are kept per kind of channel, not per number. */
function kindOf(channel: string | null): string {
  return channel === null ? 'api' : (channel.split(':')[0] ?? channel);
}

/** A signed POST of Meta's → facts to store. Nothing that is JSON makes it throw; what it cannot read it hands over with the reason. */
import { BUSINESS, type TenantId } from '../../domain/ids.ts';
import { DeliveryStatus, eventSchemaOf, type ChannelEvent, type EventInput } from '../../domain/schemas/events.ts';
import type { InboundItem, ParsedBody, UnreadableItem } from '../inbound.ts';
import { readJson, storableBody } from '../raw-json.ts';
import { whatsAppKey } from './config.ts';
import { handoverEvent, standbyNotice } from './routing.ts';
import {
  echoEvent,
  errorOf,
  messageEvent,
  preferenceEvent,
  profilesFor,
  profilesOf,
  read,
  statusEvent,
  UnreadableUpdate,
  type Sender,
} from './parse-messages.ts';
import { Change, Entry, Envelope, Handover, StatusName, Value } from './webhook-schema.ts';

const UNKNOWN_NUMBER = 'whatsapp';

export interface WebhookPost {
  readonly tenant: TenantId;
  /** The bytes as they came: at most 3 MB and 1,000 updates, says Meta. */
  readonly body: Uint8Array;
  /** The numbers whose app secret signed this body: updates of any other are not believed. */
  readonly phoneNumberIds: readonly string[];
  /** The tenant's numbers that another secret signs for. */
  readonly othersNumberIds?: readonly string[];
}

interface Findings {
  readonly tenant: TenantId;
  readonly items: InboundItem[];
  readonly unreadable: UnreadableItem[];
  readonly ignored: string[];
}

/**
 * Updates come in any order and more than once: neither is mended here, the desk's unique key and the run's debounce do.
 * What cannot be read is handed over as a post of its own, whole enough to be read again.
 */
export function parseWhatsAppWebhook(post: WebhookPost): ParsedBody {
  const found: Findings = { tenant: post.tenant, items: [], unreadable: [], ignored: [] };
  const json = readJson(post.body);
  if (!json.ok) reject(found, UNKNOWN_NUMBER, storableBody(post.body), json.problem);
  else
    attempt(found, { source: UNKNOWN_NUMBER, alone: () => json.value }, () => {
      for (const entry of read(Envelope, json.value).entry) readEntry(entry, post, found);
    });
  return found;
}

function readEntry(entry: unknown, post: WebhookPost, found: Findings): void {
  attempt(found, { source: UNKNOWN_NUMBER, alone: () => postOf(entry) }, () => {
    for (const item of read(Entry, entry).changes)
      attempt(found, { source: UNKNOWN_NUMBER, alone: () => postOf({ changes: [item] }) }, () => {
        readChange(read(Change, item), post, found);
      });
  });
}

function readChange(change: Change, post: WebhookPost, found: Findings): void {
  switch (change.field) {
    case 'messages':
    case 'smb_message_echoes':
    case 'message_echoes':
    case 'standby':
    case 'user_preferences':
      readValue(change, post, found);
      return;
    case 'messaging_handovers': {
      const handover = read(Handover, change.value);
      const source = sourceOf(handover.metadata?.phone_number_id ?? handover.recipient?.phone_number_id, post);
      keep(found, source, handoverEvent(handover, source));
      return;
    }
    default:
      found.ignored.push(change.field.slice(0, 60));
  }
}

function readValue(change: Change, post: WebhookPost, found: Findings): void {
  const value = read(Value, change.value);
  const source = sourceOf(value.metadata.phone_number_id, post);
  const sender: Sender = { source, profiles: profilesOf(value.contacts) };
  const standby = change.field === 'standby';
  const each = (list: UpdateList, reading: (item: unknown) => void) => {
    for (const item of value[list] ?? []) {
      const alone = () => {
        const contacts = profilesFor(item, sender.profiles);
        const { metadata } = value;
        return postOf({ changes: [{ field: change.field, value: { metadata, contacts, [list]: [item] } }] });
      };
      attempt(found, { source, alone }, () => reading(item));
    }
  };
  const said = (fact: ChannelEvent) => {
    if (standby) keep(found, source, standbyNotice(fact));
    keep(found, source, fact);
  };
  each('messages', (item) => said(messageEvent(item, sender)));
  each('message_echoes', (item) => said(echoEvent(item, source, standby ? 'unknown' : 'human')));
  each('statuses', (item) => {
    const { status } = read(StatusName, item);
    if (DeliveryStatus.safeParse(status).success) keep(found, source, statusEvent(item, source));
    else found.ignored.push(`status ${status}`.slice(0, 60));
  });
  each('user_preferences', (item) => keep(found, source, preferenceEvent(item, sender)));
  each('errors', (item) => {
    const error = errorOf(item);
    throw new UnreadableUpdate(`WhatsApp reports an error (${error.code}): ${error.message}`);
  });
}

type UpdateList = 'messages' | 'message_echoes' | 'statuses' | 'user_preferences' | 'errors';

function postOf(entry: unknown): object {
  return { object: 'whatsapp_business_account', entry: [entry] };
}

function sourceOf(phoneNumberId: string | undefined, post: WebhookPost): string {
  const { tenant, phoneNumberIds, othersNumberIds = [] } = post;
  if (phoneNumberId !== undefined && phoneNumberIds.includes(phoneNumberId)) return whatsAppKey(phoneNumberId);
  const channels = `tenants.${tenant}.channels of attache.config.json`;
  if (phoneNumberId !== undefined && othersNumberIds.includes(phoneNumberId))
    throw new UnreadableUpdate(
      `phone_number_id ${phoneNumberId} has another appSecret in ${channels} than the one that signed this: correct it there`,
    );
  throw new UnreadableUpdate(
    `phone_number_id ${phoneNumberId?.slice(0, 40) ?? '(none)'} is not a WhatsApp channel of tenant ${tenant}: ` +
      `add it to ${channels} (kind "whatsapp", phoneNumberId, appSecret), then deliver this again; or unsubscribe the number`,
  );
}

/** Whatever cannot be read inside becomes one dead letter that holds `alone`; everything kept before stays. */
function attempt(
  found: Findings,
  { source, alone }: { readonly source: string; readonly alone: () => unknown },
  reading: () => void,
): void {
  try {
    reading();
  } catch (error) {
    if (!(error instanceof UnreadableUpdate)) throw error;
    reject(found, source, JSON.stringify(alone()), error.message);
  }
}

/** Our own schema has the last word: what the desk could not read later is refused now. */
function keep(found: Findings, source: string, event: EventInput | ChannelEvent): void {
  const { address, ...bare } = { address: undefined, ...event };
  read(eventSchemaOf(bare), address === undefined ? bare : { ...bare, subject: BUSINESS });
  found.items.push({ tenant: found.tenant, channel: source, event });
}

function reject(found: Findings, source: string, body: string, problem: string): void {
  found.unreadable.push({ tenant: found.tenant, source, body, problem });
}

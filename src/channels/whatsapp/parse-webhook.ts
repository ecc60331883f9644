/** A signed POST of Meta's → facts to store. Nothing that is JSON makes it throw; what it cannot read it hands over with the reason. */
import { BUSINESS, type TenantId } from '../../domain/ids.ts';
import { eventSchemaOf, type ChannelEvent, type EventInput } from '../../domain/schemas/events.ts';
import type { InboundItem, ParsedWebhook, UnreadableItem } from '../inbound.ts';
import { readJson, storableBody } from '../raw-json.ts';
import { whatsAppKey } from './config.ts';
import { handoverEvent, standbyNotice } from './routing.ts';
import {
  echoEvent,
  errorOf,
  messageEvent,
  preferenceEvent,
  profilesOf,
  read,
  statusEvent,
  UnreadableUpdate,
  type Sender,
} from './parse-messages.ts';
import { Change, Entry, Envelope, Handover, Value } from './webhook-schema.ts';

const UNKNOWN_NUMBER = 'whatsapp';

export interface WebhookPost {
  readonly tenant: TenantId;
  /** The bytes as they came: at most 3 MB and 1,000 updates, says Meta. */
  readonly body: Uint8Array;
  /** The numbers whose app secret signed this body: updates of any other are not believed. */
  readonly phoneNumberIds: readonly string[];
}

interface Findings {
  readonly tenant: TenantId;
  readonly items: InboundItem[];
  readonly unreadable: UnreadableItem[];
  readonly ignored: string[];
}

/** Updates come in any order and more than once: neither is mended here, the desk's unique key and the run's debounce do. */
export function parseWhatsAppWebhook(post: WebhookPost): ParsedWebhook {
  const found: Findings = { tenant: post.tenant, items: [], unreadable: [], ignored: [] };
  const json = readJson(post.body);
  if (!json.ok) reject(found, UNKNOWN_NUMBER, storableBody(post.body), json.problem);
  else
    attempt(found, UNKNOWN_NUMBER, json.value, () => {
      for (const entry of read(Envelope, json.value).entry) readEntry(entry, post, found);
    });
  return found;
}

function readEntry(entry: unknown, post: WebhookPost, found: Findings): void {
  attempt(found, UNKNOWN_NUMBER, entry, () => {
    for (const item of read(Entry, entry).changes)
      attempt(found, UNKNOWN_NUMBER, item, () => {
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
  const said = (item: unknown, event: (item: unknown) => ChannelEvent) => {
    attempt(found, source, item, () => {
      const fact = event(item);
      if (standby) keep(found, source, standbyNotice(fact));
      keep(found, source, fact);
    });
  };
  for (const item of value.messages ?? []) said(item, () => messageEvent(item, sender));
  for (const item of value.message_echoes ?? [])
    said(item, () => echoEvent(item, source, standby ? 'unknown' : 'human'));
  for (const item of value.statuses ?? [])
    attempt(found, source, item, () => {
      keep(found, source, statusEvent(item, source));
    });
  for (const item of value.user_preferences ?? [])
    attempt(found, source, item, () => {
      keep(found, source, preferenceEvent(item, sender));
    });
  for (const item of value.errors ?? []) {
    const error = errorOf(item);
    reject(found, source, JSON.stringify(item), `WhatsApp reports an error (${error.code}): ${error.message}`);
  }
}

function sourceOf(phoneNumberId: string | undefined, post: WebhookPost): string {
  if (phoneNumberId !== undefined && post.phoneNumberIds.includes(phoneNumberId)) return whatsAppKey(phoneNumberId);
  throw new UnreadableUpdate(
    `phone_number_id ${phoneNumberId?.slice(0, 40) ?? '(none)'} is not a WhatsApp channel of tenant ${post.tenant}, or another app secret signed it: ` +
      'correct "channels" in the configuration, or unsubscribe the number',
  );
}

/** Whatever cannot be read inside becomes one dead letter that holds `item`; everything kept before stays. */
function attempt(found: Findings, source: string, item: unknown, reading: () => void): void {
  try {
    reading();
  } catch (error) {
    if (!(error instanceof UnreadableUpdate)) throw error;
    reject(found, source, JSON.stringify(item), error.message);
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

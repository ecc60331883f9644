/**
 * Meta's webhook bodies, as little of them as we read. Unknown fields pass, unknown kinds are the parser's business,
 * and lists are read item by item, so that one strange update never costs the others.
 * Source: WhatsApp Business Platform, webhook reference: messages, smb_message_echoes, standby, messaging_handovers.
 */
import { z } from 'zod';
import { DeliveryStatus } from '../../domain/schemas/events.ts';

/** Everything JSON can hold, kept for a closer look. */
const items = z.array(z.unknown()).optional();
const id = z.string().min(1).max(512);
const text = z.string().optional();

/** Unix seconds, as text or number, up to the year 9999. Becomes ISO-8601 UTC. */
const UnixSeconds = z
  .union([z.string().regex(/^\d{1,12}$/), z.int()])
  .transform(Number)
  .pipe(z.number().min(0).max(253_402_300_799))
  .transform((seconds) => new Date(seconds * 1_000).toISOString());

export const Envelope = z.object({ object: z.literal('whatsapp_business_account'), entry: z.array(z.unknown()) });
export const Entry = z.object({ changes: z.array(z.unknown()) });
export const Change = z.object({ field: z.string(), value: z.record(z.string(), z.unknown()) });
export type Change = z.infer<typeof Change>;

export const Value = z.object({
  metadata: z.object({ phone_number_id: z.string() }),
  contacts: items,
  messages: items,
  statuses: items,
  message_echoes: items,
  user_preferences: items,
  errors: items,
});
export type Value = z.infer<typeof Value>;

export const Profile = z.object({
  wa_id: text,
  user_id: text,
  parent_user_id: text,
  profile: z.object({ name: text }).optional(),
});
export type Profile = z.infer<typeof Profile>;

export const Message = z.looseObject({
  id,
  from: text,
  from_user_id: text,
  from_parent_user_id: text,
  group_id: text,
  timestamp: UnixSeconds,
  type: z.string().min(1),
});
export type Message = z.infer<typeof Message>;

/** What may stand beside any kind of message; read leniently, since none of it is the message. */
export const Context = z.object({
  id: id.optional().catch(undefined),
  forwarded: z.boolean().optional().catch(undefined),
  frequently_forwarded: z.boolean().optional().catch(undefined),
  referred_product: z.object({ catalog_id: text, product_retailer_id: z.string() }).optional().catch(undefined),
});
export const Referral = z.object({
  source_type: text,
  source_id: text,
  source_url: text,
  headline: text,
  body: text,
  ctwa_clid: text,
});

export const Echo = z.looseObject({
  id,
  to: text,
  to_user_id: text,
  to_parent_user_id: text,
  timestamp: UnixSeconds,
  type: z.string().min(1),
  biz_opaque_callback_data: z.string().max(512).optional(),
});

/** Meta may tell of steps that we know nothing of (`deleted`, `warning`): no error, and no news. */
export const StatusName = z.object({ status: z.string() });
export const Status = z.object({
  id,
  status: DeliveryStatus,
  timestamp: UnixSeconds,
  recipient_id: text,
  recipient_user_id: text,
  recipient_parent_user_id: text,
  biz_opaque_callback_data: z.string().max(512).optional(),
  errors: z.array(z.unknown()).optional(),
});

export const MetaError = z.object({
  code: z.union([z.number(), z.string()]),
  title: text,
  message: text,
  error_data: z.object({ details: text }).optional(),
});

/** Two samples of Meta's are at odds about where the number stands, and resellers show milliseconds: all are read. */
export const Handover = z.object({
  metadata: z.object({ phone_number_id: z.string() }).optional(),
  recipient: z.object({ phone_number_id: z.string() }).optional(),
  sender: z.object({ phone_number: text, user_id: text }),
  timestamp: z.preprocess(
    (value) => (/^\d{13}$/.test(String(value)) ? String(value).slice(0, 10) : value),
    UnixSeconds,
  ),
  control_passed: z.unknown().optional(),
  control_taken: z.unknown().optional(),
});
export type Handover = z.infer<typeof Handover>;

export const UserPreference = z.object({
  wa_id: text,
  user_id: text,
  category: z.string().max(60),
  value: z.string().max(60),
  timestamp: UnixSeconds,
});

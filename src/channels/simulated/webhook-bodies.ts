/** Webhook updates in Meta's form, for a simulated number. Invented people and ids only. */

/** One entry of `changes`. */
export interface Update {
  readonly field: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface SimulatedNumber {
  readonly phoneNumberId: string;
  readonly displayPhoneNumber: string;
}

/** Whoever writes: phone digits, a user id, or both. Meta leaves `from` out for people with a username. */
export interface SimulatedPerson {
  readonly phone?: string;
  readonly userId?: string;
  readonly name?: string;
}

/** A message's `type` and the field of that name: `{ type: 'text', text: { body: 'Hi' } }`. */
export type MessageBody = { readonly type: string; readonly [field: string]: unknown };

export interface Stamp {
  readonly id: string;
  /** ms since 1970; Meta tells whole seconds. */
  readonly at: number;
}

export function messageUpdate(
  number: SimulatedNumber,
  person: SimulatedPerson,
  body: MessageBody,
  { id, at }: Stamp,
): Update {
  const profile = { profile: { name: person.name ?? 'Ana' }, wa_id: person.phone, user_id: person.userId };
  // System messages name nobody but their sender.
  const contacts = body.type === 'system' ? {} : { contacts: [profile] };
  return change('messages', number, {
    ...contacts,
    messages: [{ from: person.phone, from_user_id: person.userId, id, timestamp: seconds(at), ...body }],
  });
}

export function echoUpdate(number: SimulatedNumber, to: string, body: MessageBody, { id, at }: Stamp): Update {
  return change('smb_message_echoes', number, {
    message_echoes: [{ from: number.displayPhoneNumber, to, id, timestamp: seconds(at), ...body }],
  });
}

/** What a person chose of marketing messages, in WhatsApp's own settings. */
export function preferenceUpdate(
  number: SimulatedNumber,
  phone: string,
  value: 'stop' | 'resume',
  { at }: Pick<Stamp, 'at'>,
): Update {
  const preference = { wa_id: phone, detail: 'simulated', category: 'marketing_messages', value };
  return change('user_preferences', number, { user_preferences: [{ ...preference, timestamp: seconds(at) }] });
}

export type SimulatedStatus = 'sent' | 'delivered' | 'read' | 'played' | 'failed';

export function statusUpdate(
  number: SimulatedNumber,
  {
    status,
    recipient,
    reference,
    errorCode,
  }: { status: SimulatedStatus; recipient: string; reference: string | undefined; errorCode?: number },
  { id, at }: Stamp,
): Update {
  const errors =
    errorCode === undefined
      ? {}
      : {
          errors: [
            { code: errorCode, title: 'Simulated failure', error_data: { details: 'as told to the simulator' } },
          ],
        };
  return change('messages', number, {
    statuses: [
      { id, status, timestamp: seconds(at), recipient_id: recipient, biz_opaque_callback_data: reference, ...errors },
    ],
  });
}

/** The POST's body: up to a thousand updates of one business account. */
export function envelope(updates: readonly Update[]): object {
  return { object: 'whatsapp_business_account', entry: [{ id: 'simulated-account', changes: updates }] };
}

/** JSON as Meta writes it: ASCII only, every other character escaped, and the slash too. */
export function asMetaWrites(value: unknown): string {
  return JSON.stringify(value)
    .replace(/\//g, '\\/')
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function change(field: string, { phoneNumberId, displayPhoneNumber }: SimulatedNumber, value: object): Update {
  return {
    field,
    value: {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: displayPhoneNumber, phone_number_id: phoneNumberId },
      ...value,
    },
  };
}

const seconds = (ms: number) => String(Math.floor(ms / 1_000));

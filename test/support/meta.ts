/** Meta's side of the webhook, written from its documentation with node:crypto and fetch alone. Invented people. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';

export class Meta {
  readonly url: string;
  private readonly number: string;
  private readonly secret: string;
  private count = 0;

  constructor({ url, number, secret }: { url: string; number: string; secret: string }) {
    this.url = url;
    this.number = number;
    this.secret = secret;
  }

  /** A customer's text, taken with 200. */
  async says(phone: string, text: string): Promise<void> {
    this.count += 1;
    assert.equal(await this.post(this.messageBody(phone, { id: `wamid.IN.${this.count}`, text })), 200);
  }

  /** `smb_message_echoes`: what the business app, or we, sent to the person. */
  async echo(phone: string, { id, text }: { id: string; text: string }): Promise<void> {
    const echo = { from: '15550001234', to: phone, id, timestamp: seconds(), type: 'text', text: { body: text } };
    assert.equal(await this.post(this.body({ message_echoes: [echo] }, 'smb_message_echoes')), 200);
  }

  async status(
    phone: string,
    told: { id: string; status: string; reference: string; errors?: readonly object[] },
  ): Promise<void> {
    const { id, status, reference, errors } = told;
    const entry = {
      id,
      status,
      errors,
      timestamp: seconds(),
      recipient_id: phone,
      biz_opaque_callback_data: reference,
    };
    assert.equal(await this.post(this.body({ statuses: [entry] })), 200);
  }

  /** A text, or the fields of any other kind. `at`: ms, default now. */
  messageBody(
    phone: string,
    { id, text, at, ...kind }: { id: string; text?: string; at?: number; [field: string]: unknown },
  ): string {
    const content = text === undefined ? kind : { type: 'text', text: { body: text } };
    return this.body({
      contacts: [{ profile: { name: 'Ana' }, wa_id: phone }],
      messages: [{ from: phone, id, timestamp: seconds(at), ...content }],
    });
  }

  signature(body: string): string {
    return `sha256=${createHmac('sha256', this.secret).update(body).digest('hex')}`;
  }

  /** Answers the HTTP status. */
  async post(body: string, signature = this.signature(body)): Promise<number> {
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
    const response = await fetch(this.url, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  }

  private body(value: object, field = 'messages'): string {
    const metadata = { display_phone_number: '15550001234', phone_number_id: this.number };
    const change = { field, value: { messaging_product: 'whatsapp', metadata, ...value } };
    return JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '900', changes: [change] }] });
  }
}

/** Whole seconds, as Meta tells time. */
function seconds(at = Date.now()): string {
  return String(Math.floor(at / 1_000));
}

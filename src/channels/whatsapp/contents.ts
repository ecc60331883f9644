/** A WhatsApp message's body as content in our own words. A kind we know in a shape we do not becomes `unsupported`: never an error. */
import { z } from 'zod';
import { MessageContent } from '../../domain/schemas/events.ts';
import type { Json } from '../../domain/json.ts';
import { readJson } from '../raw-json.ts';

const text = z.string().optional();
const Media = z.object({
  id: z.string(),
  mime_type: text,
  sha256: text,
  caption: text,
  filename: text,
  voice: z.boolean().optional(),
});
const Reply = z.object({ id: z.string(), title: z.string() });
const Interactive = z.discriminatedUnion('type', [
  z.object({ type: z.literal('button_reply'), button_reply: Reply }),
  z.object({ type: z.literal('list_reply'), list_reply: Reply }),
  z.object({
    type: z.literal('nfm_reply'),
    nfm_reply: z.object({ name: text, body: text, response_json: z.string() }),
  }),
]);
const Card = z.object({
  name: z.object({ formatted_name: text, first_name: text }).optional(),
  phones: z.array(z.object({ phone: text, wa_id: text })).optional(),
  emails: z.array(z.object({ email: text })).optional(),
});
const Order = z.object({
  catalog_id: text,
  text,
  product_items: z.array(
    z.object({
      product_retailer_id: z.string(),
      quantity: z.coerce.number(),
      item_price: z.coerce.number().optional(),
      currency: text,
    }),
  ),
});

/** Our bounds on what a stranger may put in one field; longer text is cut, not refused. */
const NAME_LIMIT = 1_024;
const TEXT_LIMIT = 65_536;

/** One kind of Meta's `type` each: the field of the same name holds the body. Undefined: not in the shape we know. */
const READERS: Readonly<Record<string, (body: unknown) => unknown>> = {
  text: read(z.object({ body: z.string() }), ({ body }) => ({ kind: 'text', text: long(body) })),
  image: media('image'),
  audio: media('audio'),
  video: media('video'),
  document: media('document'),
  sticker: media('sticker'),
  button: read(z.object({ payload: text, text: z.string() }), ({ payload, text: title }) => ({
    kind: 'choice',
    of: 'template',
    id: short(payload ?? title),
    title: short(title),
  })),
  interactive: read(Interactive, interactive),
  location: read(
    z.object({ latitude: z.coerce.number(), longitude: z.coerce.number(), name: text, address: text }),
    ({ latitude, longitude, name, address }) => ({
      kind: 'location',
      latitude,
      longitude,
      ...optional('name', name),
      ...optional('address', address),
    }),
  ),
  contacts: read(z.array(Card), (cards) => ({ kind: 'contacts', contacts: cards.slice(0, 100).map(contactCard) })),
  order: read(Order, (order) => ({
    kind: 'order',
    ...optional('catalogId', order.catalog_id),
    ...(order.text !== undefined && { text: long(order.text) }),
    items: order.product_items.slice(0, 500).map((item) => ({
      productId: short(item.product_retailer_id),
      quantity: item.quantity,
      ...(item.item_price !== undefined && { price: item.item_price }),
      ...(item.currency !== undefined && { currency: item.currency.slice(0, 10) }),
    })),
  })),
};

/** `message` is the item with its `type`; also what an edit holds inside. */
export function contentOf(message: { readonly type: string; readonly [field: string]: unknown }): MessageContent {
  const reader = Object.hasOwn(READERS, message.type) ? READERS[message.type] : undefined;
  const content = MessageContent.safeParse(reader?.(message[message.type]));
  return content.success ? content.data : { kind: 'unsupported', of: kindOf(message) };
}

/** Meta's own word for a kind, as exact as it tells: `unsupported` may name what the person really sent. */
function kindOf(message: { readonly type: string; readonly [field: string]: unknown }): string {
  const inner = z.object({ type: z.string().min(1) }).safeParse(message[message.type]);
  return (inner.success ? `${message.type}.${inner.data.type}` : message.type).slice(0, 60);
}

function read<Shape>(schema: z.ZodType<Shape>, map: (body: Shape) => unknown): (body: unknown) => unknown {
  return (body) => {
    const parsed = schema.safeParse(body);
    return parsed.success ? map(parsed.data) : undefined;
  };
}

function media(kind: 'image' | 'audio' | 'video' | 'document' | 'sticker'): (body: unknown) => unknown {
  return read(Media, ({ id, mime_type, sha256, caption, filename, voice }) => ({
    kind: 'media',
    media: voice === true ? 'voice' : kind,
    mediaId: id,
    ...(mime_type !== undefined && { mimeType: mime_type.slice(0, 200) }),
    ...(sha256 !== undefined && { sha256: sha256.slice(0, 200) }),
    ...optional('fileName', filename),
    ...(caption !== undefined && { caption: long(caption) }),
  }));
}

function interactive(body: z.infer<typeof Interactive>): unknown {
  switch (body.type) {
    case 'button_reply':
      return { kind: 'choice', of: 'button', id: short(body.button_reply.id), title: short(body.button_reply.title) };
    case 'list_reply':
      return { kind: 'choice', of: 'list', id: short(body.list_reply.id), title: short(body.list_reply.title) };
    case 'nfm_reply': {
      const answers = readJson(body.nfm_reply.response_json);
      return {
        kind: 'form',
        ...optional('name', body.nfm_reply.name),
        ...(body.nfm_reply.body !== undefined && { text: long(body.nfm_reply.body) }),
        answers: answers.ok ? (answers.value as Json) : body.nfm_reply.response_json,
      };
    }
  }
}

function contactCard(card: z.infer<typeof Card>) {
  const phones = (card.phones ?? []).flatMap(({ phone, wa_id }) => phone ?? wa_id ?? []);
  const emails = (card.emails ?? []).flatMap(({ email }) => email ?? []);
  return {
    name: short(card.name?.formatted_name ?? card.name?.first_name ?? ''),
    phones: phones.slice(0, 20).map(short),
    emails: emails.slice(0, 20).map(short),
  };
}

function optional<Key extends string>(key: Key, value: string | undefined): Partial<Record<Key, string>> {
  return value === undefined ? {} : ({ [key]: short(value) } as Partial<Record<Key, string>>);
}

const short = (value: string) => value.slice(0, NAME_LIMIT);
const long = (value: string) => value.slice(0, TEXT_LIMIT);

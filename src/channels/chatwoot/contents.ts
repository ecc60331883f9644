/** What a Chatwoot message says, in our own words. */
import { MessageContent } from '../../domain/schemas/events.ts';
import { Attachment, type MessageEvent } from './webhook-schema.ts';

const MEDIA = { image: 'image', audio: 'audio', video: 'video', file: 'document' } as const;
const TEXT_LIMIT = 65_536;

/** Text, or the first attachment with the text as its caption. */
export function contentOf({ content, attachments, message_type }: MessageEvent): MessageContent {
  const text = (content ?? '').slice(0, TEXT_LIMIT);
  const first = attachments?.[0];
  if (first === undefined)
    return text === '' ? { kind: 'unsupported', of: `empty ${message_type}`.slice(0, 60) } : { kind: 'text', text };
  const attachment = Attachment.safeParse(first).data;
  const parsed = MessageContent.safeParse(attachment === undefined ? undefined : attachedContent(attachment, text));
  return parsed.success
    ? parsed.data
    : { kind: 'unsupported', of: (attachment?.file_type ?? 'attachment').slice(0, 60), ...(text !== '' && { text }) };
}

/** By number: its address is asked for when somebody reads it, since it may not be there yet, or have changed. */
export function mediaIdOf({ id }: Pick<Attachment, 'id'>): string {
  return `attachment:${id}`;
}

function attachedContent(attachment: Attachment, text: string): unknown {
  const media = Object.entries(MEDIA).find(([type]) => type === attachment.file_type)?.[1];
  if (media !== undefined)
    return { kind: 'media', media, mediaId: mediaIdOf(attachment), ...(text !== '' && { caption: text }) };
  if (attachment.file_type !== 'location') return undefined;
  const { coordinates_lat: latitude, coordinates_long: longitude, fallback_title } = attachment;
  return {
    kind: 'location',
    latitude,
    longitude,
    ...(fallback_title != null && { name: fallback_title.slice(0, 1_024) }),
  };
}

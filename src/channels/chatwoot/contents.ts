/** What a Chatwoot message says, in our own words. */
import { MessageContent } from '../../domain/schemas/events.ts';
import { Attachment, type MessageEvent } from './webhook-schema.ts';

const MEDIA = { image: 'image', audio: 'audio', video: 'video', file: 'document' } as const;
const TEXT_LIMIT = 65_536;

/** Chatwoot lets one message hold 15. */
const MOST_FILES = 30;

/** Text, or its files with the text as their caption; what else may be attached counts where there is no file. */
export function contentOf({ content, attachments, message_type }: MessageEvent): MessageContent {
  const text = (content ?? '').slice(0, TEXT_LIMIT);
  const attached = (attachments ?? []).slice(0, MOST_FILES).flatMap((one) => Attachment.safeParse(one).data ?? []);
  const [file, ...more] = attached.flatMap(fileOf);
  if (file !== undefined)
    return { kind: 'media', ...file, ...(text !== '' && { caption: text }), ...(more.length > 0 && { more }) };
  const [first] = attached;
  const place = first?.file_type === 'location' ? MessageContent.safeParse(placeOf(first)) : undefined;
  if (place?.success === true) return place.data;
  if ((attachments ?? []).length > 0)
    return { kind: 'unsupported', of: (first?.file_type ?? 'attachment').slice(0, 60), ...(text !== '' && { text }) };
  return text === '' ? { kind: 'unsupported', of: `empty ${message_type}`.slice(0, 60) } : { kind: 'text', text };
}

/** Neither words nor anything attached, which Chatwoot itself would say if it could not read the message. */
export function isEmpty({ content, attachments, content_attributes }: MessageEvent): boolean {
  const isUnreadable = content_attributes?.['is_unsupported'] === true;
  return (content ?? '') === '' && (attachments ?? []).length === 0 && !isUnreadable;
}

/** By number: its address is asked for when somebody reads it, since it may not be there yet, or have changed. */
export function mediaIdOf({ id }: Pick<Attachment, 'id'>): string {
  return `attachment:${id}`;
}

function fileOf(attachment: Attachment): { media: (typeof MEDIA)[keyof typeof MEDIA]; mediaId: string }[] {
  const media = Object.entries(MEDIA).find(([type]) => type === attachment.file_type)?.[1];
  return media === undefined ? [] : [{ media, mediaId: mediaIdOf(attachment) }];
}

function placeOf({ coordinates_lat: latitude, coordinates_long: longitude, fallback_title }: Attachment): object {
  return {
    kind: 'location',
    latitude,
    longitude,
    ...(fallback_title != null && { name: fallback_title.slice(0, 1_024) }),
  };
}

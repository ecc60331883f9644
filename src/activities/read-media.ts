/** A file of the conversation, for a tick: got from its channel when the agent asks, and not before. */
import type { ConversationView, MediaFile } from '../agents/define-agent.ts';
import type { Channel } from '../channels/channel.ts';
import { ChannelError } from '../channels/channel-error.ts';
import { MEDIA_LIMIT, readMedia } from '../channels/media.ts';
import type { ConversationRecord, MessageRecord } from '../desk/desk.ts';
import { ProviderOutageError } from '../domain/errors.ts';
import type { ConversationId, TenantId } from '../domain/ids.ts';
import type { ActivityDeps } from './deps.ts';
import { fromDesk } from './desk-outage.ts';

/** Larger than any voice note or photograph; a document may need more, and whoever wants it says so. */
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

export interface MediaReading {
  readonly tenant: TenantId;
  readonly id: ConversationId;
  readonly conversation: ConversationRecord | null;
  readonly channel: Channel | undefined;
  readonly signal: AbortSignal;
}

export function mediaReader(
  deps: Pick<ActivityDeps, 'desk'>,
  { tenant, id, conversation, channel, signal }: MediaReading,
): ConversationView['media'] {
  return async (message, { maxBytes = DEFAULT_MAX_BYTES, file = 0 } = {}) => {
    const name = nameOf(message);
    const row =
      name === null ? null : await fromDesk(deps.desk.conversations.message({ tenant, conversation: id, ...name }));
    const address = conversation?.contact?.address;
    if (row === null || channel === undefined || address === undefined) return null;
    return read({ row, file, channel, to: { tenant, conversation: id, address }, maxBytes, signal });
  };
}

function nameOf(message: Parameters<ConversationView['media']>[0]): { id: string } | { providerId: string } | null {
  if ('id' in message) return { id: message.id };
  return message.providerId === undefined ? null : { providerId: message.providerId };
}

/** @throws {ProviderOutageError} when it cannot be had now. */
async function read({
  row: { media, providerId, at },
  file,
  channel,
  to,
  maxBytes,
  signal,
}: {
  readonly row: MessageRecord;
  /** Its place among those of the message. */
  readonly file: number;
  readonly channel: Channel;
  readonly to: Parameters<NonNullable<Channel['openMedia']>>[0]['to'];
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}): Promise<MediaFile | null> {
  const wanted = media === null ? undefined : [media, ...(media.more ?? [])][file];
  if (wanted === undefined || providerId === null || channel.openMedia === undefined) return null;
  const { kind, mediaId, fileName, sha256 } = wanted;
  try {
    const open = await channel.openMedia({ to, messageId: providerId, mediaId, sha256, sentAt: at, signal });
    const bytes = await readMedia(open, Math.min(maxBytes, MEDIA_LIMIT));
    return { kind, mimeType: wanted.mimeType ?? open.mimeType, fileName, bytes };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ChannelError && error.failure === 'permanent') return null;
    const wait = error instanceof ChannelError ? error.retryAfterMs : undefined;
    throw new ProviderOutageError({
      provider: channel.key,
      message: 'a file cannot be read now',
      cause: error,
      ...(wait !== undefined && { retryAfterMs: wait }),
    });
  }
}

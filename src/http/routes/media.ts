/**
 * Files that customers sent, handed through from where their provider keeps them. Only those of messages the desk knows, by
 * our ids: nobody names an address here.
 */
import { z } from 'zod';
import { ChannelError } from '../../channels/channel-error.ts';
import type { OpenMedia } from '../../channels/channel.ts';
import type { FileRef } from '../../desk/desk.ts';
import { parseConversationId } from '../../domain/ids.ts';
import type { HttpDeps } from '../deps.ts';
import { ProblemError } from '../problems.ts';
import type { Routes } from '../route.ts';

/** Of a message with several files: the first is 0. */
const Query = z.strictObject({ file: z.coerce.number().pipe(z.int().min(0).max(30)).default(0) });

export function mediaRoute(routes: Routes, { desk, channelsOf }: Pick<HttpDeps, 'desk' | 'channelsOf'>): void {
  routes.add(
    {
      method: 'get',
      path: '/conversations/:conversation/messages/:message/media',
      role: 'viewer',
      goesOn: true,
      summary: 'The file of a message, fetched from its provider now; of several, the one named by `file`, from 0',
      query: Query,
      answers: { 200: 'the bytes, as an attachment' },
    },
    async ({ tenant, param, query, context }) => {
      const id = parseConversationId(param('conversation'));
      const conversation = await desk.conversations.get(tenant, id);
      if (conversation === null)
        throw new ProblemError('conversation_not_found', `the desk knows no conversation ${id}`);
      const message = await desk.conversations.message({ tenant, conversation: id, id: param('message') });
      const channel = channelsOf(tenant).find(({ key }) => key === conversation.channel);
      const address = conversation.contact?.address;
      const file = message?.media == null ? undefined : [message.media, ...(message.media.more ?? [])][query.file];
      if (!message || file === undefined || message.providerId === null || !channel?.openMedia || address === undefined)
        throw new ProblemError(
          'media_not_found',
          'there is no such message, it holds no file, or its channel keeps none',
        );
      const { mediaId, sha256 } = file;
      const { signal } = context.req.raw;
      const to = { tenant, conversation: id, address };
      const request = { to, messageId: message.providerId, mediaId, sha256, sentAt: message.at, signal };
      return answer(file, await opened(channel.openMedia(request)));
    },
  );
}

/** @throws {ProblemError} for whatever keeps the file from us. */
async function opened(opening: Promise<OpenMedia>): Promise<OpenMedia> {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    if (error.code === 'media_too_large') throw new ProblemError('too_large', error.message);
    if (error.failure === 'permanent') throw new ProblemError('media_gone', error.message);
    const retryAfterSeconds = Math.ceil((error.retryAfterMs ?? 5_000) / 1_000);
    throw new ProblemError('media_unavailable', error.message, { retryAfterSeconds, cause: error });
  }
}

/** A stranger made it: the browser saves it or shows it as an image, and runs none of it. */
function answer({ mimeType, fileName, kind, sha256 }: FileRef, { mimeType: told, size, body }: OpenMedia): Response {
  const headers = new Headers({
    'content-type': plainType(mimeType ?? told),
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(fileName ?? kind)}`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'private, no-store',
  });
  // Without a length, the break of a file that turns out to be another shows at its end.
  if (size !== null && sha256 === null) headers.set('content-length', String(size));
  return new Response(body, { headers });
}

function plainType(type: string | null): string {
  return type !== null && /^[\w.+-]+\/[\w.+-]+(?:;[\w .+="-]*)?$/.test(type) ? type : 'application/octet-stream';
}

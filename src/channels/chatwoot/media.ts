/**
 * A file of a Chatwoot message. The message is looked up when somebody reads the file: its address may not have been there
 * when the webhook came. Chatwoot answers with an address of its own, which leads to where the files are stored.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ChannelError } from '../channel-error.ts';
import type { MediaRequest, OpenMedia } from '../channel.ts';
import { checked, gone, MEDIA_LIMIT, notReady, tooLarge } from '../media.ts';
import { PROVIDER, type ChatwootApi } from './api.ts';
import { mediaIdOf } from './contents.ts';
import { Attachment, MessageList } from './webhook-schema.ts';

const PAUSES_MS = [500, 1_000, 2_000, 4_000];
/** An address that is missing this long after its message will not come any more. */
const YOUNG_MS = 10 * 60_000;
const DOWNLOAD_TIMEOUT_MS = 5 * 60_000;
/** From Chatwoot to its storage it is one, or two behind a proxy. */
const MOST_REDIRECTS = 3;

/** `path` of the conversation. @throws {ChannelError} `media_not_ready` (an outage: later), `media_gone`, `media_too_large`. */
export async function openChatwootMedia(
  api: ChatwootApi,
  { path, request }: { readonly path: string; readonly request: MediaRequest },
): Promise<OpenMedia> {
  for (const wait of [...PAUSES_MS, null]) {
    const url = await addressOf(api, { path, request });
    const media = url === null ? null : await download(api, url, request);
    if (media !== null) return media;
    if (Date.now() - Date.parse(request.sentAt) > YOUNG_MS) throw gone(PROVIDER);
    if (wait !== null) await pause(wait, undefined, { signal: request.signal });
  }
  throw notReady(PROVIDER);
}

/** Null: not there (yet). Only what this very Chatwoot serves is ever fetched. */
async function addressOf(
  api: ChatwootApi,
  { path, request }: { readonly path: string; readonly request: MediaRequest },
): Promise<string | null> {
  const id = Number(request.messageId);
  if (!Number.isSafeInteger(id)) throw gone(PROVIDER);
  const page = `${path}/messages?before=${id + 1}`;
  const { payload } = await api.get({ path: page, answer: MessageList, signal: request.signal });
  const attachments = payload.find((message) => message.id === id)?.attachments ?? [];
  const wanted = attachments
    .flatMap((one) => Attachment.safeParse(one).data ?? [])
    .find((one) => mediaIdOf(one) === request.mediaId || one.data_url === request.mediaId);
  const url = wanted?.data_url ?? '';
  return URL.canParse(url) && new URL(url).origin === new URL(api.origin).origin ? url : null;
}

/** Null: that address leads to nothing (yet). */
async function download(api: ChatwootApi, first: string, request: MediaRequest): Promise<OpenMedia | null> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS)]);
  let url = first;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
    const response = await api.download(url, signal);
    if (response.ok && response.body !== null) return opened(response, response.body, request.sha256);
    await response.body?.cancel();
    const next = response.headers.get('location');
    if (next === null || response.status < 300 || response.status >= 400) {
      if ([401, 403, 404, 410].includes(response.status)) return null;
      throw failed(`answered HTTP ${response.status} for a file`, `http_${response.status}`);
    }
    url = new URL(next, url).href;
    if (!/^https?:/.test(url)) break;
  }
  throw failed('led from address to address for a file', 'too_many_redirects');
}

function opened({ headers }: Response, body: ReadableStream<Uint8Array>, sha256: string | null): OpenMedia {
  const length = headers.get('content-length');
  const size = length === null || headers.get('content-encoding') !== null ? null : Number(length);
  if (size !== null && size > MEDIA_LIMIT) throw tooLarge(MEDIA_LIMIT);
  return { mimeType: headers.get('content-type'), size, body: checked(body, { limit: MEDIA_LIMIT, sha256 }) };
}

function failed(what: string, code: string): ChannelError {
  return new ChannelError({ failure: 'outage', code, message: `${PROVIDER} ${what}` });
}

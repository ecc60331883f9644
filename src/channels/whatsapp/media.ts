/**
 * A file somebody sent to a WhatsApp number: its address is asked for at every reading, since one lives five minutes.
 * Source: "Media", WhatsApp Business Platform, Cloud API.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { ChannelError } from '../channel-error.ts';
import type { MediaRequest, OpenMedia } from '../channel.ts';
import { checked, gone, MEDIA_LIMIT, notReady, tooLarge } from '../media.ts';
import { PROVIDER, type GraphApi } from './graph-api.ts';

/** Of the App Dashboard's webhooks: digits. Anything else was not told by Meta, and becomes no part of an address. */
const MEDIA_ID = /^[0-9]{1,40}$/;
/** Voice notes are announced before their file is there: seconds as a rule. */
const PAUSES_MS = [500, 1_000, 2_000, 4_000];
/** A file that is not there this long after its message will not come any more. */
const YOUNG_MS = 10 * 60_000;
/** A hundred megabytes over a slow line. */
const DOWNLOAD_TIMEOUT_MS = 5 * 60_000;
/** Statuses by which an address says that it has expired. */
const EXPIRED: readonly number[] = [401, 403, 404, 410];
/** Codes that say there is no such media: 100 and 33 as an object that does not exist, 131052 as a file that cannot be had. */
const MISSING: readonly string[] = ['100', '33', '131052', 'http_400', 'http_404', 'http_410'];

const Location = z.object({
  url: z.url({ protocol: /^https?$/ }),
  mime_type: z.string().max(200).nullish(),
  sha256: z.string().max(200).nullish(),
  file_size: z.coerce.number().nullish(),
});
type Location = z.infer<typeof Location>;

/** @throws {ChannelError} `media_not_ready` (an outage: later), `media_gone`, `media_too_large`, or as the API failed. */
export async function openWhatsAppMedia(
  api: GraphApi,
  { phoneNumberId, request }: { readonly phoneNumberId: string; readonly request: MediaRequest },
): Promise<OpenMedia> {
  if (!MEDIA_ID.test(request.mediaId)) throw gone(PROVIDER);
  for (const wait of [...PAUSES_MS, null]) {
    const media = await openOnce(api, { phoneNumberId, request });
    if (media !== null) return media;
    if (Date.now() - Date.parse(request.sentAt) > YOUNG_MS) throw gone(PROVIDER);
    if (wait !== null) await pause(wait, undefined, { signal: request.signal });
  }
  throw notReady(PROVIDER);
}

/** Null: there is no such file now. */
async function openOnce(
  api: GraphApi,
  { phoneNumberId, request }: { readonly phoneNumberId: string; readonly request: MediaRequest },
): Promise<OpenMedia | null> {
  const place = await locate(api, `${request.mediaId}?phone_number_id=${phoneNumberId}`, request.signal);
  if (place === null) return null;
  const size = place.file_size ?? null;
  if (size !== null && size > MEDIA_LIMIT) throw tooLarge(MEDIA_LIMIT);
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS)]);
  const response = await api.download(place.url, signal);
  if (response.ok && response.body !== null)
    return {
      mimeType: place.mime_type ?? response.headers.get('content-type'),
      size,
      body: checked(response.body, { limit: MEDIA_LIMIT, sha256: request.sha256 ?? place.sha256 ?? null }),
    };
  await response.body?.cancel();
  if (EXPIRED.includes(response.status)) return null;
  throw new ChannelError({
    failure: 'outage',
    code: `http_${response.status}`,
    message: `${PROVIDER} answered HTTP ${response.status} for a file`,
  });
}

/** Null: not known (yet). The token goes to the address that is answered, so that is HTTPS or the API's own origin. */
async function locate(api: GraphApi, path: string, signal: AbortSignal): Promise<Location | null> {
  let answer: unknown;
  try {
    answer = await api.get(path, signal);
  } catch (error) {
    if (error instanceof ChannelError && MISSING.includes(error.code)) return null;
    throw error;
  }
  const place = Location.safeParse(answer).data;
  const isSafe = place !== undefined && (place.url.startsWith('https://') || new URL(place.url).origin === api.origin);
  if (isSafe) return place;
  throw new ChannelError({
    failure: 'permanent',
    code: 'unreadable_answer',
    message: `${PROVIDER} named no address for a file that the access token may be sent to`,
  });
}

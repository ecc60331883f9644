/** Files that people send: opened at the provider when somebody asks, handed on as they come, and checked on the way. */
import { createHash } from 'node:crypto';
import type { OpenMedia } from './channel.ts';
import { ChannelError } from './channel-error.ts';

/** WhatsApp's own bound, for documents; its other kinds are smaller (Cloud API reference, "Media"). */
export const MEDIA_LIMIT = 100 * 1024 * 1024;

/** Not there yet: whoever waits gets it. */
export function notReady(provider: string): ChannelError {
  return new ChannelError({
    failure: 'outage',
    code: 'media_not_ready',
    message: `${provider} has not made the file available yet`,
    retryAfterMs: 15_000,
  });
}

/** Providers keep files for days or weeks only. */
export function gone(provider: string): ChannelError {
  return new ChannelError({ failure: 'permanent', code: 'media_gone', message: `${provider} has this file no more` });
}

export function tooLarge(limit: number): ChannelError {
  return new ChannelError({
    failure: 'permanent',
    code: 'media_too_large',
    message: `the file has more than ${limit} bytes`,
  });
}

/** The same bytes, counted and hashed: no more than `limit`, and those that were announced. */
export function checked(
  body: ReadableStream<Uint8Array>,
  { limit, sha256 }: { readonly limit: number; readonly sha256: string | null },
): ReadableStream<Uint8Array> {
  const expected = digestOf(sha256);
  const hash = createHash('sha256');
  let size = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size > limit) {
          controller.error(tooLarge(limit));
          return;
        }
        hash.update(chunk);
        controller.enqueue(chunk);
      },
      flush(controller) {
        if (expected === null || hash.digest().equals(expected)) return;
        controller.error(
          new ChannelError({
            failure: 'permanent',
            code: 'media_altered',
            message: 'the file is not the one that the message announced: its SHA-256 differs',
          }),
        );
      },
    }),
  );
}

/** All of it. @throws {ChannelError} `media_too_large` beyond `maxBytes`. */
export async function readMedia({ body, size }: OpenMedia, maxBytes: number): Promise<Uint8Array> {
  if (size !== null && size > maxBytes) {
    await body.cancel();
    throw tooLarge(maxBytes);
  }
  const chunks: Uint8Array[] = [];
  let read = 0;
  for await (const chunk of body) {
    read += chunk.byteLength;
    if (read > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Meta writes hex in one place and base64 in another. Null: neither, so there is nothing to hold it against. */
function digestOf(sha256: string | null): Buffer | null {
  if (sha256 === null) return null;
  const digest = Buffer.from(sha256, /^[0-9a-f]{64}$/i.test(sha256) ? 'hex' : 'base64');
  return digest.byteLength === 32 ? digest : null;
}

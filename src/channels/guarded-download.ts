/** A GET of an address that somebody else named: public addresses only, and no redirect followed. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { addressKind, guardedLookup, objectionToHost } from './addresses.ts';
import { ChannelError } from './channel-error.ts';

/** The open answer, whatever its status. @throws {ChannelError} `media_elsewhere` for an address that is not public; what the connection threw. */
export async function downloadPublic(url: string, signal: AbortSignal): Promise<Response> {
  const target = new URL(url);
  const refused = objectionToHost(target, objection);
  if (refused !== undefined) throw elsewhere(refused);
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(target, { lookup: guardedLookup(objection), signal, agent: false }, resolve);
    request.once('error', (error) => reject(error.message.endsWith(NOT_PUBLIC) ? elsewhere(error.message) : error));
    // Also after an answer that is none, such as 101: no error tells of that one.
    request.once('close', () => reject(new Error('the connection was closed without an answer')));
    request.end();
  });
  const headers = Object.entries(message.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return new Response(Readable.toWeb(message) as ReadableStream<Uint8Array>, {
    status: message.statusCode ?? 0,
    headers,
  });
}

const NOT_PUBLIC = 'is not a public address';

function objection(address: string): string | undefined {
  return addressKind(address) === 'public' ? undefined : `${address} ${NOT_PUBLIC}`;
}

function elsewhere(why: string): ChannelError {
  return new ChannelError({
    failure: 'permanent',
    code: 'media_elsewhere',
    message: `a file is not fetched from there: ${why}`,
  });
}

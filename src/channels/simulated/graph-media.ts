/** The files of the simulated WhatsApp: by id to an address that lives five minutes, by the address to the bytes. */
import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MessageBody } from './webhook-bodies.ts';

/** Meta's own. */
const ADDRESS_LIVES_MS = 5 * 60_000;

export interface SimulatedFile {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** What Meta calls it: image, audio, video, document or sticker. Default: by the type. */
  readonly as?: string;
  readonly caption?: string;
  readonly fileName?: string;
  readonly voice?: boolean;
  /** So many questions for its address are answered that there is no such file. Default 0. */
  readonly notReadyFor?: number;
  /** Served in place of the bytes that were announced. */
  readonly altered?: Uint8Array;
}

interface Kept {
  readonly file: SimulatedFile;
  asked: number;
}

export class SimulatedFiles {
  private readonly kept = new Map<string, Kept>();
  private readonly addresses = new Map<string, { readonly id: string; readonly until: number }>();
  private readonly first = Date.now();

  /** The message that brings it. */
  add(file: SimulatedFile): MessageBody {
    const id = String(this.first * 1_000 + this.kept.size);
    this.kept.set(id, { file, asked: 0 });
    const { mimeType, caption, fileName: filename, voice } = file;
    const type = file.as ?? (/^(?:image|audio|video)/.exec(mimeType)?.[0] || 'document');
    // In webhooks Meta writes base64, in the answer below hex.
    const sha256 = createHash('sha256').update(file.bytes).digest('base64');
    return { type, [type]: { id, mime_type: mimeType, sha256, caption, filename, voice } };
  }

  /** Meta has them for days only. */
  forget(): void {
    this.kept.clear();
  }

  /** Serves what is asked for; false: it is no file's address. The caller has checked the token. */
  serve({ method, url = '' }: IncomingMessage, response: ServerResponse, at: { origin: string; now: number }): boolean {
    const { pathname } = new URL(url, at.origin);
    if (method !== 'GET') return false;
    if (pathname.startsWith('/files/')) this.serveBytes(pathname, response, at.now);
    else this.serveAddress(pathname.slice(1), response, at);
    return true;
  }

  private serveAddress(id: string, response: ServerResponse, { origin, now }: { origin: string; now: number }): void {
    const kept = this.kept.get(id);
    if (kept === undefined || kept.asked++ < (kept.file.notReadyFor ?? 0)) {
      const error = {
        code: 100,
        error_subcode: 33,
        message: '(#100) Object does not exist',
        type: 'GraphMethodException',
      };
      json(response, 400, { error });
      return;
    }
    const path = `/files/${randomUUID()}`;
    this.addresses.set(path, { id, until: now + ADDRESS_LIVES_MS });
    const { bytes, mimeType: mime_type } = kept.file;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    json(response, 200, {
      messaging_product: 'whatsapp',
      url: `${origin}${path}`,
      mime_type,
      sha256,
      file_size: bytes.byteLength,
      id,
    });
  }

  private serveBytes(path: string, response: ServerResponse, now: number): void {
    const address = this.addresses.get(path);
    const kept = address === undefined ? undefined : this.kept.get(address.id);
    if (address === undefined || kept === undefined || address.until < now) {
      response.writeHead(404).end();
      return;
    }
    const { bytes, altered = bytes, mimeType } = kept.file;
    response.writeHead(200, { 'content-type': mimeType }).end(Buffer.from(altered));
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

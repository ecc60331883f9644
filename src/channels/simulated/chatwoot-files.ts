/** Files of the simulated Chatwoot: its own address leads on to where they are stored, as with the real one. */
import type { ServerResponse } from 'node:http';
import type { SimulatedAttachment } from './chatwoot-simulator.ts';

export class SimulatedAttachments {
  private readonly kept = new Map<number, { readonly file: SimulatedAttachment; shown: number }>();

  /** As a message shows them, once more. */
  bodiesOf(message: number, files: readonly SimulatedAttachment[], origin: string): readonly object[] {
    return files.map((file, place) => this.bodyOf(place * 1_000 + message, { message, file, origin }));
  }

  private bodyOf(
    id: number,
    {
      message,
      file,
      origin,
    }: { readonly message: number; readonly file: SimulatedAttachment; readonly origin: string },
  ): object {
    const kept = this.kept.get(id) ?? { file, shown: 0 };
    this.kept.set(id, kept);
    const isReady = kept.shown++ >= (file.notReadyFor ?? 0);
    const data_url = isReady ? `${origin}/rails/active_storage/blobs/redirect/${id}` : null;
    return { id: 1_000 + id, message_id: message, file_type: file.type, data_url, file_size: file.bytes.byteLength };
  }

  /** False: it is no file's address. */
  serve(pathname: string, response: ServerResponse): boolean {
    const [, step, id] = /^\/rails\/active_storage\/(blobs\/redirect|disk)\/(\d+)$/.exec(pathname) ?? [];
    if (step === undefined) return false;
    const kept = this.kept.get(Number(id));
    if (kept === undefined) response.writeHead(404).end();
    else if (step === 'disk')
      response.writeHead(200, { 'content-type': kept.file.mimeType }).end(Buffer.from(kept.file.bytes));
    else response.writeHead(302, { location: `/rails/active_storage/disk/${id}` }).end();
    return true;
  }
}

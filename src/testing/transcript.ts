/** What was said in a rehearsal, with the files that came with it. */
import type { FileInfo, MediaFile, TranscriptMessage } from '../agents/define-agent.ts';
import { textOf } from '../domain/contents.ts';
import type { InboundMessage, MessageContent } from '../domain/schemas/events.ts';

type Media = Extract<MessageContent, { kind: 'media' }>;
type OneFile = NonNullable<Media['more']>[number];

export class Transcript {
  private readonly messages: TranscriptMessage[] = [];
  /** By the names an agent may have for the message: its id here, its provider's. */
  private readonly files = new Map<string, readonly (MediaFile | null)[]>();
  private readonly bytes: Readonly<Record<string, Uint8Array>>;

  /** `bytes`: what there is to read, by `mediaId`. */
  constructor(bytes: Readonly<Record<string, Uint8Array>> = {}) {
    this.bytes = bytes;
  }

  heard({ content, providerId }: InboundMessage, at: string): void {
    const id = this.add('in', content, at);
    if (content.kind !== 'media') return;
    const files = [content, ...(content.more ?? [])].map((file) => {
      const bytes = this.bytes[file.mediaId];
      return bytes === undefined ? null : { ...fileInfo(file), bytes };
    });
    for (const name of [id, providerId]) if (name !== undefined) this.files.set(name, files);
  }

  said(content: MessageContent, at: string): void {
    this.add('out', content, at);
  }

  latest(limit: number): readonly TranscriptMessage[] {
    return this.messages.slice(-limit);
  }

  lastAt(direction: 'in' | 'out'): string | null {
    return this.messages.findLast((message) => message.direction === direction)?.at ?? null;
  }

  file(name: string | undefined, place: number): MediaFile | null {
    return this.files.get(name ?? '')?.[place] ?? null;
  }

  private add(direction: 'in' | 'out', content: MessageContent, at: string): string {
    const id = String(this.messages.length + 1);
    this.messages.push({
      id,
      direction,
      author: direction === 'in' ? 'customer' : 'agent',
      kind: content.kind,
      text: textOf(content),
      media: content.kind === 'media' ? { ...fileInfo(content), more: (content.more ?? []).map(fileInfo) } : null,
      at,
      status: direction === 'in' ? null : 'sent',
      private: false,
    });
    return id;
  }
}

function fileInfo({ media: kind, mimeType, fileName }: OneFile): FileInfo {
  return { kind, mimeType: mimeType ?? null, fileName: fileName ?? null };
}

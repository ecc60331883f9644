/** What a message says in words, whatever its kind: what agents without eyes and transcripts read. */
import type { MessageContent } from './schemas/events.ts';

/** The person's own words (or the title of the choice they tapped); null when the message holds none. */
export function textOf(content: MessageContent): string | null {
  switch (content.kind) {
    case 'text':
      return content.text;
    case 'media':
      return content.caption ?? null;
    case 'choice':
      return content.title;
    case 'form':
    case 'order':
    case 'unsupported':
      return content.text ?? null;
    case 'location':
      return content.name ?? content.address ?? null;
    case 'contacts':
      return content.contacts.map((card) => card.name).join(', ') || null;
  }
}

/** The mark of an answer's content, by which a caller who has it already is told so. */
import { createHash } from 'node:crypto';

/** 162 bits of its SHA-256, in quotes as the header has them. */
export function etagOf(body: string | Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
}

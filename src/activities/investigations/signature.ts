/** A trigger's signature as it stands in a workflow id. */
import { createHash } from 'node:crypto';
import { CONVERSATION_PATTERN } from '../../domain/ids.ts';

/** Itself, where it is short enough to be read there; else its hash. */
export function signatureId(signature: string): string {
  return CONVERSATION_PATTERN.test(signature) && !signature.startsWith(HASHED) ? signature : hashed(signature);
}

/** No signature that is taken as it is begins so. */
const HASHED = 'sha256=';

function hashed(signature: string): string {
  return `${HASHED}${createHash('sha256').update(signature).digest('base64url')}`;
}

/** Secrets of keys and sessions: drawn at random, known to us by their hashes alone. */
import { createHash, randomBytes } from 'node:crypto';
import type { ApiKey } from '../config.ts';
import type { KeyRef, NewKey } from '../desk/desk.ts';
import type { Caller } from './auth.ts';

export const SESSION_COOKIE = 'attache_session';
/** A working day: who comes back the next morning signs in again. */
export const SESSION_IDLE_MS = 12 * 3_600_000;
/** At the longest, however busy. */
export const SESSION_LIFE_MS = 7 * 86_400_000;

export type KnownKey = Pick<Caller, 'name' | 'role' | 'tenant'> & { readonly ref: KeyRef };

const KEY_FORM = /^att_([a-f0-9]{16})_[A-Za-z0-9_-]{43}$/;

/** `att_{id}_{256 random bits}`: the id finds it, the whole is what is hashed. */
export function drawKey(): NewKey & { readonly secret: string } {
  const id = randomBytes(8).toString('hex');
  const secret = `att_${id}_${randomBytes(32).toString('base64url')}`;
  return { id, secret, hash: digest(secret).toString('hex') };
}

export function drawSession(): { readonly cookie: string; readonly hash: string } {
  const cookie = randomBytes(32).toString('base64url');
  return { cookie, hash: digest(cookie).toString('hex') };
}

/** The id in a key of the desk; undefined when it does not look like one. */
export function keyIdOf(secret: string): string | undefined {
  return KEY_FORM.exec(secret)?.[1];
}

/** Says which key of the configuration it is, and changes with its secret. */
export function fingerprintOf({ name, secret }: ApiKey): string {
  return digest(`${name}:${digest(secret).toString('hex')}`).toString('hex');
}

export function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

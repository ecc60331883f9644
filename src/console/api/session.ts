/** Signing in: a key and a person's name are exchanged for a cookie that no script can read. */
import type { Ask } from './ask.ts';
import type { Session } from './shapes.ts';

const PATH = '/v1/session';

/** @throws {Refused} with status 401 when nobody is signed in. */
export async function readSession(ask: Ask): Promise<Session> {
  return ask<Session>(PATH);
}

/** @throws {Refused} with status 401 for a key that is not known. */
export async function openSession(ask: Ask, { secret, person }: { secret: string; person: string }): Promise<void> {
  await ask(PATH, { method: 'POST', body: { key: secret, by: person } });
}

export async function endSession(ask: Ask): Promise<void> {
  await ask(PATH, { method: 'DELETE' });
}

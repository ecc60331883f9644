/** What a signed body says: its facts stored and told to the runs, and what could not be read kept for an operator. */
import type { ParsedWebhook } from '../channels/inbound.ts';
import { happenedBy } from '../domain/told-times.ts';
import type { Letter } from '../desk/desk.ts';
import type { TenantId } from '../domain/ids.ts';
import type { AcceptedItem } from '../intake/intake.ts';
import type { HttpDeps } from './deps.ts';
import { ProblemError } from './problems.ts';

type TakeInDeps = Pick<HttpDeps, 'desk' | 'intake' | 'log'>;

/** What became of each item, in order. */
export async function takeIn(
  { items, unreadable, ignored }: ParsedWebhook,
  { desk, intake, log }: TakeInDeps,
): Promise<readonly AcceptedItem[]> {
  for (const letter of unreadable) await desk.intake.storeUnreadable(letter);
  const answers = await intake.accept(items);
  if (ignored.length > 0) log.info({ ignored: [...ignored] }, 'webhook notices that mean nothing to us');
  return answers;
}

export interface ReadAgain {
  readonly id: string;
  readonly type: string;
  readonly result: AcceptedItem['result'];
}

/**
 * A dead letter that could not be read, read under today's configuration: its facts come in with the times and under the ids
 * they would have had, so what was told since, or by whoever asks for the same at once, is known; then the letter is done with.
 * Whoever dies in between leaves a letter that can be read once more.
 * @throws {ProblemError} `event_unreadable`, with why, which is then the letter's problem too.
 */
export async function readAgain(
  { tenant, key, letter }: { readonly tenant: TenantId; readonly key: string; readonly letter: Letter },
  deps: TakeInDeps & Pick<HttpDeps, 'webhooks'>,
): Promise<readonly ReadAgain[]> {
  const { body, seal } = letter;
  const cameAt = Date.parse(letter.storedAt);
  const read = deps.webhooks.readAgain({ tenant, body, seal, cameAt });
  const unread = 'doubted' in read ? read.doubted : read.unreadable.find((one) => one.body === body)?.problem;
  const items = 'doubted' in read ? [] : read.items.map((item) => ({ ...item, event: toldBy(cameAt, item.event) }));
  const answers =
    'doubted' in read
      ? []
      : await takeIn({ ...read, items, unreadable: read.unreadable.filter((one) => one.body !== body) }, deps);
  if (unread !== undefined) {
    await deps.desk.events.markFailed(key, unread, { dead: true });
    throw new ProblemError('event_unreadable', unread);
  }
  await deps.desk.events.markDelivered(key, []);
  return items.map(({ event: { id, type } }, at) => ({ id, type, result: answers[at]?.result ?? 'duplicate' }));
}

function toldBy<Event extends { readonly time: string }>(cameAt: number, event: Event): Event {
  return { ...event, time: happenedBy(cameAt, event.time) };
}

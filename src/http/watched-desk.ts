/** The desk, telling what is written to it: the one place where changes come from, whoever makes them in this process. */
import type { Desk } from '../desk/desk.ts';
import { parseEffectKey, parseRunWorkflowId, type AttachmentId, type RunRef } from '../domain/ids.ts';
import type { Change, Changes } from './changes.ts';

/** Runs whose names are kept: a server without a worker sees them begin and never end. */
const REMEMBERED = 10_000;

export function watchDesk(desk: Desk, changes: Changes): Desk {
  const names = new Map<AttachmentId, RunRef>();
  const runChanged = (ref: RunRef, data: Change['data']) => {
    changes.publish({ tenant: ref.tenant, type: 'run', subject: ref.subject, data: { slot: ref.slot, ...data } });
  };
  /** Ticks and phases name the attachment alone; a run seen before has a name. */
  const attachmentChanged = (attachment: AttachmentId, data: Change['data']) => {
    const ref = names.get(attachment);
    if (ref !== undefined) runChanged(ref, { id: attachment, ...data });
  };
  const remember = (attachment: string, { tenant, subject, slot }: RunRef) => {
    names.set(attachment as AttachmentId, { tenant, subject, slot });
    const [oldest] = names.keys();
    if (names.size > REMEMBERED && oldest !== undefined) names.delete(oldest);
  };

  return {
    ...bound(desk),
    intake: {
      ...bound(desk.intake),
      async store(item) {
        const stored = await desk.intake.store(item);
        if (stored.result === 'accepted') {
          const { tenant, subject = null, key, type } = stored.event;
          changes.publish({
            tenant,
            type: type.startsWith('message.') ? 'message' : 'event',
            subject,
            data: { event: key, type },
          });
        }
        return stored;
      },
    },
    runs: {
      ...bound(desk.runs),
      async insertIfAbsent(run) {
        await desk.runs.insertIfAbsent(run);
        remember(run.id, run);
        runChanged(run, { id: run.id, status: run.status });
      },
      async recordTick(change) {
        await desk.runs.recordTick(change);
        attachmentChanged(change.tick.attachment, { tick: change.tick.tick });
      },
      async recordPhase(change) {
        await desk.runs.recordPhase(change);
        attachmentChanged(change.attachment, { phase: change.phase });
      },
      async recordEnd(end) {
        const first = await desk.runs.recordEnd(end);
        names.delete(end.run.id as AttachmentId);
        if (first) runChanged(end.run, { id: end.run.id, status: end.run.status, reason: end.run.reason });
        return first;
      },
    },
    ledger: {
      ...bound(desk.ledger),
      async sent(done) {
        await desk.ledger.sent(done);
        const { tenant, subject } = parseRunWorkflowId(parseEffectKey(done.key).workflowId);
        changes.publish({ tenant, type: 'message', subject, data: { effect: done.key, type: 'message.outbound' } });
      },
    },
    switches: {
      ...bound(desk.switches),
      async turnOff(entry) {
        await desk.switches.turnOff(entry);
        changes.publish({
          tenant: entry.tenant,
          type: 'switch',
          subject: null,
          data: { scope: entry.scope, key: entry.key, off: true },
        });
      },
      async turnOn(entry) {
        const was = await desk.switches.turnOn(entry);
        if (was)
          changes.publish({
            tenant: entry.tenant,
            type: 'switch',
            subject: null,
            data: { scope: entry.scope, key: entry.key, off: false },
          });
        return was;
      },
    },
  };
}

/** Every method of it, its `this` kept: repositories may be classes, whose methods a spread would lose. */
function bound<Repository extends object>(repository: Repository): Repository {
  const members: [string, unknown][] = [];
  for (
    let at: object | null = repository;
    at !== null && at !== Object.prototype;
    at = Object.getPrototypeOf(at) as object | null
  ) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (name !== 'constructor' && !members.some(([known]) => known === name))
        members.push([name, repository[name as keyof Repository]]);
    }
  }
  return Object.fromEntries(
    members.map(([name, value]) => [name, typeof value === 'function' ? (value.bind(repository) as unknown) : value]),
  ) as Repository;
}

/** The desk in memory: as much of its contract as the API leans on; anything else throws by its name. */
import type { AttachmentId } from '../../src/domain/ids.ts';
import type {
  ActRecord,
  Desk,
  DeliverableEvent,
  EventRecord,
  MessageRecord,
  RunRecord,
  Switch,
} from '../../src/desk/desk.ts';

export class FakeDesk {
  readonly runs: RunRecord[] = [];
  readonly acts: ActRecord[] = [];
  readonly events: EventRecord[] = [];
  readonly letters: { source: string; body: string; problem: string }[] = [];
  readonly messages: MessageRecord[] = [];
  readonly switches: Switch[] = [];
  readonly audit: { act: string; actor: string; target: string }[] = [];
  /** Thrown by everything. */
  outage: Error | undefined;

  asDesk(): Desk {
    const repositories = {
      intake: {
        storeUnreadable: async (letter: { source: string; body: string; problem: string }) =>
          void this.letters.push(letter),
      },
      runs: {
        insertIfAbsent: async (run: RunRecord, act?: 'attach' | 'handback') => {
          if (this.runs.some(({ id }) => id === run.id)) return;
          this.runs.push(run);
          const { tenant, subject, slot, id, actor, comment, attachedAt: at } = run;
          const attachment = id as AttachmentId;
          if (act !== undefined)
            this.acts.push({ tenant, subject, slot, attachment, act, actor: actor ?? 'unknown', comment, at });
        },
        recordPhase: async () => undefined,
        get: async (ref: { tenant: string; subject: string; slot: string; id?: string }) =>
          this.runs
            .filter(
              (run) =>
                run.tenant === ref.tenant &&
                run.subject === ref.subject &&
                run.slot === ref.slot &&
                (ref.id === undefined || ref.id === run.id),
            )
            .at(-1) ?? null,
        list: async ({ tenant, status, limit }: { tenant: string; status?: string; limit: number }) => ({
          items: this.runs
            .filter((run) => run.tenant === tenant && (status === undefined || run.status === status))
            .slice(0, limit)
            .map((run) => ({ ...run, contact: null, costUsd: null })),
          nextCursor: null,
        }),
        timeline: async (attachment: string) => ({
          items: this.acts
            .filter((act) => act.attachment === attachment)
            .map((act, n) => ({ entry: 'act', entryId: `act-${n}`, stale: false, ...act })),
          nextCursor: null,
        }),
        latest: async (attachment: string) => ({
          ticks: [],
          acts: this.acts.filter((act) => act.attachment === attachment).reverse(),
          heldUp: this.runs.find(({ id }) => id === attachment)?.heldUp ?? null,
        }),
        stats: async () => ({
          byStatus: { IN_PROGRESS: this.runs.length },
          byReason: {},
          byAgent: [],
          overdue: { count: 0, maxMs: 0 },
          costUsd: null,
        }),
      },
      acts: { record: async (act: ActRecord) => void this.acts.push(act) },
      conversations: {
        setOwner: async () => true,
        get: async (_tenant: string, id: string) => {
          const isHeld = this.acts.some(({ act, subject }) => act === 'takeover' && subject === `conversation/${id}`);
          if (isHeld) return { id, owner: 'human' };
          return this.messages.some(({ conversation }) => conversation === id) ? { id, contact: { name: null } } : null;
        },
        delivered: async () => [],
        messages: async ({ conversation }: { conversation: string }) => ({
          items: this.messages.filter((message) => message.conversation === conversation),
          nextCursor: null,
        }),
      },
      events: {
        get: async (_tenant: string, id: string) =>
          this.events.find((event) => event.id === id || event.key === id) ?? null,
        list: async () => ({ items: this.events, nextCursor: null }),
        unreadable: async () => null,
        requeue: async (_tenant: string, key: string) =>
          (this.events.find((event) => event.key === key) ?? null) as unknown as DeliverableEvent,
        drop: async (_tenant: string, key: string) => {
          const at = this.events.findIndex((event) => event.key === key && event.status !== 'delivered');
          return at >= 0 && this.events.splice(at, 1).length > 0;
        },
      },
      shutChannels: { list: async () => [] },
      reports: { channels: async () => [], agents: async () => [] },
      secrets: { get: async () => 'the same for all' },
      keys: { usable: async () => null },
      sessions: { find: async () => null },
      audit: {
        open: async (entry: { act: string; actor: string; target: string }) => this.audit.push(entry),
        close: async () => undefined,
      },
      changes: { after: async () => [], kept: async () => null, prune: async () => undefined },
      switches: {
        turnOff: async (entry: Switch) => void this.switches.push(entry),
        turnOn: async ({ key }: { key: string }) =>
          this.switches.splice(0, this.switches.length, ...this.switches.filter((one) => one.key !== key)).length > 0,
        list: async () => this.switches,
      },
    };
    const guarded = Object.entries(repositories).map(([name, repository]) => [name, this.guard(name, repository)]);
    return {
      ...(Object.fromEntries(guarded) as object),
      ping: async () => this.check(),
      close: async () => undefined,
    } as unknown as Desk;
  }

  private guard(name: string, repository: object): object {
    return new Proxy(repository, {
      get: (target, method) => {
        this.check();
        if (!(method in target)) throw new Error(`the API is not expected to call ${name}.${String(method)}`);
        return target[method as keyof typeof target] as unknown;
      },
    });
  }

  private check(): void {
    if (this.outage !== undefined) throw this.outage;
  }
}

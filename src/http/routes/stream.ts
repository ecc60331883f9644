/** Server-sent events of changes: what to read again, never what it says. */
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';
import { z } from 'zod';
import type { Change } from '../../desk/desk.ts';
import { conversationSubject } from '../../domain/ids.ts';
import type { Authenticate } from '../authenticators.ts';
import { authorize } from '../auth.ts';
import type { HttpDeps } from '../deps.ts';
import { invalidField, ProblemError } from '../problems.ts';
import type { Asked, Routes } from '../route.ts';

/** Told while nothing else is: proxies close what is silent for a minute, and a reader knows that the line is there. */
const BEAT_MS = 5_000;
/** Whoever may no longer ask is cut off after that. */
const LOOK_MS = 15_000;
/** A reader this far behind is cut off: it resumes by Last-Event-ID. */
const BACKLOG_LIMIT = 1_000;
/** Streams of a tenant on this server: each holds a connection. */
const STREAM_LIMIT = 500;

type Deps = Pick<HttpDeps, 'changes'> & { readonly authenticate: Authenticate };

const Query = z.strictObject({ lastEventId: z.string().max(30).optional() });

export function streamRoute(routes: Routes, deps: Deps): void {
  routes.add(
    {
      method: 'get',
      path: '/stream',
      role: 'viewer',
      goesOn: true,
      panel: true,
      summary: 'Changes as they happen, whichever process makes them; resumes by Last-Event-ID',
      query: Query,
      answers: {
        200: 'text/event-stream: run, effect, act, message, event, conversation, switch, delivery, investigation …; reset: read everything again; beat: at once, and after 5 s without any other',
      },
    },
    (asked) => open(asked, deps),
  );
}

function open({ tenant, context, query, caller }: Asked<z.infer<typeof Query>, unknown>, deps: Deps): Response {
  const { changes, authenticate } = deps;
  if (changes.listeners(tenant) >= STREAM_LIMIT)
    throw new ProblemError('too_many_streams', `${STREAM_LIMIT} streams are open for ${tenant} here`, {
      retryAfterSeconds: 30,
    });
  const last = context.req.header('last-event-id') ?? query.lastEventId;
  if (last !== undefined && !/^\d{1,15}$/.test(last))
    throw invalidField('Last-Event-ID', 'must be the id of an event of this stream');
  const conversation = caller.panel?.conversation;
  const isAllowed = async () => {
    authorize(await authenticate(context.req.raw), { role: 'viewer', tenant, conversation });
  };
  const concerns = ({ subject }: Change) => conversation === undefined || subject === conversationSubject(conversation);
  return streamSSE(
    context,
    async (stream) => {
      const queue = new ChangeQueue();
      const stop = await changes.subscribe(tenant, (change) => {
        if (!concerns(change)) return;
        // It may be stuck in a write that nobody reads.
        if (queue.length >= BACKLOG_LIMIT) stream.abort();
        else queue.push(change);
      });
      stream.onAbort(() => {
        stop();
        queue.wake();
      });
      try {
        const missed = last === undefined ? [] : await changes.since(tenant, Number(last));
        await stream.write('retry: 1000\n: here\n\n');
        await beat(stream);
        if (missed === null) await stream.writeSSE({ event: 'reset', data: '{}' });
        else for (const change of missed.filter(concerns)) await tell(stream, change);
        const told = new Set(missed?.map(({ seq }) => seq));
        let allowedAt = Date.now();
        while (!stream.aborted) {
          for (const change of queue.take()) if (!told.has(change.seq)) await tell(stream, change);
          if (await queue.isSilentFor(BEAT_MS)) await beat(stream);
          if (Date.now() - allowedAt < LOOK_MS) continue;
          await isAllowed();
          allowedAt = Date.now();
        }
      } catch {
        // Whatever went wrong is said to nobody here: who is cut off asks again.
      } finally {
        stop();
      }
    },
    // Whoever is cut off, for whatever reason, asks again and is told why.
    async () => Promise.resolve(),
  );
}

async function beat(stream: SSEStreamingApi): Promise<void> {
  await stream.writeSSE({ event: 'beat', data: '{}' });
}

async function tell(stream: SSEStreamingApi, { seq, type, subject, data }: Change): Promise<void> {
  await stream.writeSSE({ id: String(seq), event: type, data: JSON.stringify({ subject, ...data }) });
}

class ChangeQueue {
  private changes: Change[] = [];
  private waiting: (() => void) | null = null;

  get length(): number {
    return this.changes.length;
  }

  push(change: Change): void {
    this.changes.push(change);
    this.wake();
  }

  wake(): void {
    this.waiting?.();
  }

  take(): readonly Change[] {
    return this.changes.splice(0);
  }

  /** Waits for the next change, or to be woken; true when neither came in that time. */
  async isSilentFor(timeMs: number): Promise<boolean> {
    if (this.changes.length > 0) return false;
    return new Promise((resolve) => {
      const done = (silent: boolean) => {
        clearTimeout(timer);
        this.waiting = null;
        resolve(silent);
      };
      const timer = setTimeout(() => done(true), timeMs);
      this.waiting = () => done(false);
    });
  }
}

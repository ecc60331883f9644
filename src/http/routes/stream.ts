/** Server-sent events of changes: what to read again, never what it says. */
import { streamSSE } from 'hono/streaming';
import { z } from 'zod';
import type { HttpDeps } from '../deps.ts';
import type { NumberedChange } from '../changes.ts';
import type { Routes } from '../route.ts';

/** Proxies close what is silent for a minute. */
const KEEP_ALIVE_MS = 20_000;
/** A reader this far behind is cut off: it resumes by Last-Event-ID. */
const BACKLOG_LIMIT = 1_000;

export function streamRoute(routes: Routes, { changes }: Pick<HttpDeps, 'changes'>): void {
  routes.add(
    {
      method: 'get',
      path: '/stream',
      role: 'viewer',
      summary: 'Changes as they happen; resumes by Last-Event-ID',
      query: z.strictObject({ lastEventId: z.string().max(30).optional() }),
      answers: { 200: 'text/event-stream: run, message, event, switch; reset: read everything again' },
    },
    ({ tenant, context, query }) =>
      streamSSE(context, async (stream) => {
        const queue: NumberedChange[] = [];
        let wake: () => void = () => undefined;
        const stop = changes.subscribe((change) => {
          if (change.tenant !== tenant) return;
          queue.push(change);
          wake();
        });
        stream.onAbort(() => {
          stop();
          wake();
        });
        const last = context.req.header('last-event-id') ?? query.lastEventId;
        const missed = last === undefined ? [] : changes.since(Number(last));
        if (missed === null) await stream.writeSSE({ event: 'reset', data: '{}' });
        else queue.unshift(...missed.filter((change) => change.tenant === tenant && !queue.includes(change)));
        await stream.write(': here\n\n');
        while (!stream.aborted && queue.length < BACKLOG_LIMIT) {
          for (let change = queue.shift(); change !== undefined; change = queue.shift())
            await stream.writeSSE({
              id: String(change.id),
              event: change.type,
              data: JSON.stringify({ subject: change.subject, ...change.data }),
            });
          const silent = await new Promise<boolean>((resolve) => {
            const timer = setTimeout(() => {
              resolve(true);
            }, KEEP_ALIVE_MS);
            wake = () => {
              clearTimeout(timer);
              resolve(false);
            };
            if (queue.length > 0 || stream.aborted) wake();
          });
          if (silent) await stream.write(': still here\n\n');
        }
        stop();
      }),
  );
}

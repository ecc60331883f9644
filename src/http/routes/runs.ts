/** Attach, look at, and act on one run. In `{subject}` the slash is part of the path. Lists: `run-lists.ts`. */
import { z } from 'zod';
import type { Desk } from '../../desk/desk.ts';
import { BUSINESS, conversationSubject, parseConversationId, parseSlot, type RunRef } from '../../domain/ids.ts';
import {
  Act,
  AttachedRun,
  AttachRequest,
  HandBackAct,
  OneRun,
  PauseAct,
  Run,
  SnoozeAct,
} from '../../domain/schemas/runs.ts';
import { stopperOf } from '../../domain/switches.ts';
import { isDatabaseOutage } from '../faults.ts';
import { pageOf, PageQuery, present, type Asked, type Routes } from '../route.ts';
import type { ActAnswer, AskedAct } from '../deps.ts';
import type { RunActs } from '../run-acts.ts';
import type { RunStops } from '../run-stops.ts';
import type { RunService } from '../run-service.ts';

const OneRunQuery = z.strictObject({ id: z.string().max(100).optional() });
const TimelineQuery = OneRunQuery.extend({
  /** All of an hourly agent's six weeks are one page. */
  limit: z.coerce.number().pipe(z.int().min(1).max(1_000)).default(1_000),
  cursor: PageQuery.cursor,
});
const SUBJECTS = ['/runs/conversation/:conversation/:slot', '/runs/business/:slot'] as const;
/** What POST does to a run, by the last part of its path. */
export const ACTS = ['detach', 'takeover', 'handback', 'pause', 'resume', 'snooze', 'wake'] as const;
const PendingRun = Run.extend({ pending: z.literal(true) });

export function runRoutes(
  routes: Routes,
  service: RunService,
  { acts, stops, desk }: { readonly acts: RunActs; readonly stops: RunStops; readonly desk: Desk },
): void {
  routes.add(
    {
      method: 'post',
      path: '/runs',
      role: 'operator',
      summary: 'Attach an agent',
      body: AttachRequest,
      act: 'runs.attach',
      target: (body) => service.placeOf(body),
      answers: { 201: AttachedRun },
    },
    async ({ tenant, body, actor }) => {
      const run = await service.attach(tenant, body, actor(body.by));
      return Response.json({ ...run, warning: await warningOf(desk, run) }, { status: 201 });
    },
  );
  for (const path of SUBJECTS) {
    routes.add(
      {
        method: 'get',
        path,
        role: 'viewer',
        summary: 'One run: the latest attachment, or the one named by id',
        query: OneRunQuery,
        answers: { 200: OneRun },
      },
      async (asked) => Response.json(await service.explained(refOf(asked), asked.query.id)),
    );
    routes.add(
      {
        method: 'get',
        path: `${path}/timeline`,
        role: 'viewer',
        summary:
          'Its ticks, events, effects and acts: the newest page first, each page oldest first; older ones by cursor',
        query: TimelineQuery,
        answers: { 200: pageOf(z.looseObject({ at: z.string(), entryId: z.string(), entry: z.string() })) },
      },
      async (asked) => Response.json(await service.timeline(refOf(asked), present(asked.query))),
    );
    actRoutes(routes, path, { acts, stops });
  }
}

/** Attached all the same: whoever throws a switch is not asked whether others may attach. Nothing is said where the desk has just gone. */
async function warningOf(desk: Desk, run: Run): Promise<string | null> {
  try {
    return (await switchedOff(desk, run)) ?? (await nobodyThere(desk, run));
  } catch (error) {
    if (isDatabaseOutage(error)) return null;
    throw error;
  }
}

async function switchedOff(desk: Desk, { tenant, agent }: Run): Promise<string | null> {
  const off = stopperOf(await desk.switches.list(tenant), { scope: 'agent', key: agent });
  if (off === undefined) return null;
  return `${off.scope}/${off.key} is switched off by ${off.by} since ${off.at}: the run ends at its first wake-up, switched_off`;
}

async function nobodyThere(desk: Desk, { tenant, subject }: Run): Promise<string | null> {
  if (subject === BUSINESS) return null;
  const conversation = await desk.conversations.get(tenant, parseConversationId(subject.slice('conversation/'.length)));
  if (conversation?.contact != null) return null;
  return `nobody is known in ${subject} yet: what the agent says waits for conversation.opened or the customer’s first message`;
}

function actRoutes(
  routes: Routes,
  path: string,
  { acts, stops }: { readonly acts: RunActs; readonly stops: RunStops },
): void {
  const add = <Body extends Act>(
    name: (typeof ACTS)[number],
    summary: string,
    body: z.ZodType<Body>,
    act: (asked: AskedAct<Body>) => Promise<ActAnswer>,
    pends = false,
  ): void => {
    routes.add(
      {
        method: 'post',
        path: `${path}/${name}`,
        role: 'operator',
        summary,
        body,
        bodyIs: 'optional',
        answers: pends ? { 200: Run, 202: PendingRun } : { 200: Run },
      },
      async (asked) => {
        const { run, pending } = await act({
          ref: refOf(asked),
          act: asked.body,
          actor: asked.actor(asked.body.by),
        });
        return pending ? Response.json({ ...run, pending: true }, { status: 202 }) : Response.json(run);
      },
    );
  };
  add('detach', 'Take the agent off', Act, async (asked) => stops.detach(asked), true);
  add('takeover', 'A human takes the conversation', Act, async (asked) => stops.takeOver(asked), true);
  add('handback', 'Give the conversation back to its agent, as a new run', HandBackAct, async (asked) =>
    acts.handBack(asked),
  );
  add('pause', 'Quiet, not deaf', PauseAct, async (asked) => acts.pause(asked));
  add('resume', 'Go on', Act, async (asked) => acts.resume(asked));
  add('snooze', 'Move the due time', SnoozeAct, async (asked) => acts.snooze(asked));
  add('wake', 'Tick now', Act, async (asked) => acts.wake(asked));
}

/** @throws {InvalidIdError} naming the part of the path. */
function refOf({ tenant, param }: Asked<unknown, unknown>): RunRef {
  const conversation = param('conversation');
  const subject = conversation === '' ? BUSINESS : conversationSubject(parseConversationId(conversation));
  return { tenant, subject, slot: parseSlot(param('slot')) };
}

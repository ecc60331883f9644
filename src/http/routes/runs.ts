/** Attach, list, look at, and act on runs. In `{subject}` the slash is part of the path. */
import { z } from 'zod';
import { BUSINESS, conversationSubject, parseConversationId, parseSlot, type RunRef } from '../../domain/ids.ts';
import { parseDuration } from '../../domain/durations.ts';
import { AgentKeySchema, SubjectSchema } from '../../domain/schemas/ids.ts';
import { Act, AttachRequest, HandBackAct, PauseAct, Run, RunSummary, SnoozeAct } from '../../domain/schemas/runs.ts';
import { Duration } from '../../domain/schemas/values.ts';
import { RUN_STATUSES, type RunStatus } from '../../domain/statuses.ts';
import { pageOf, PageQuery, type Asked, type Routes } from '../route.ts';
import type { ActAnswer, RunActs } from '../run-acts.ts';
import type { RunService } from '../run-service.ts';

const RunsQuery = z.strictObject({
  status: z.enum(RUN_STATUSES as [RunStatus, ...RunStatus[]]).optional(),
  agent: AgentKeySchema.optional(),
  subject: SubjectSchema.optional(),
  dueWithin: Duration.optional(),
  ...PageQuery,
});
const OneRunQuery = z.strictObject({ id: z.string().max(100).optional() });
const SUBJECTS = ['/runs/conversation/:conversation/:slot', '/runs/business/:slot'] as const;
/** What POST does to a run, by the last part of its path. */
export const ACTS = ['detach', 'takeover', 'handback', 'pause', 'resume', 'snooze', 'wake'] as const;
const PendingRun = Run.extend({ pending: z.literal(true) });

export function runRoutes(routes: Routes, service: RunService, acts: RunActs): void {
  routes.add(
    {
      method: 'post',
      path: '/runs',
      role: 'operator',
      summary: 'Attach an agent',
      body: AttachRequest,
      answers: { 201: Run },
    },
    async ({ tenant, body, actor }) =>
      Response.json(await service.attach(tenant, body, actor(body.by)), { status: 201 }),
  );
  routes.add(
    {
      method: 'get',
      path: '/runs',
      role: 'viewer',
      summary: 'List runs',
      query: RunsQuery,
      answers: { 200: pageOf(RunSummary) },
    },
    async ({ tenant, query: { dueWithin, ...query } }) => {
      const dueBefore =
        dueWithin === undefined
          ? {}
          : { dueBefore: new Date(Date.now() + parseDuration(dueWithin, 'dueWithin')).toISOString() };
      return Response.json(await service.list({ tenant, ...present(query), ...dueBefore }));
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
        answers: { 200: Run },
      },
      async (asked) => Response.json(await service.get(refOf(asked), asked.query.id)),
    );
    routes.add(
      {
        method: 'get',
        path: `${path}/timeline`,
        role: 'viewer',
        summary: 'Its ticks, events, effects and acts, oldest first',
        query: OneRunQuery,
        answers: { 200: pageOf(z.looseObject({ at: z.string(), entry: z.string() })) },
      },
      async (asked) => Response.json({ items: await service.timeline(refOf(asked), asked.query.id), nextCursor: null }),
    );
    actRoutes(routes, path, acts);
  }
}

function actRoutes(routes: Routes, path: string, acts: RunActs): void {
  const add = <Body extends Act>(
    name: (typeof ACTS)[number],
    summary: string,
    body: z.ZodType<Body>,
    act: (ref: RunRef, body: Body, actor: string) => Promise<ActAnswer>,
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
        const { run, pending } = await act(refOf(asked), asked.body, asked.actor(asked.body.by));
        return pending ? Response.json({ ...run, pending: true }, { status: 202 }) : Response.json(run);
      },
    );
  };
  add('detach', 'Take the agent off', Act, (ref, act, actor) => acts.detach(ref, act, actor), true);
  add('takeover', 'A human takes the conversation', Act, (ref, act, actor) => acts.takeOver(ref, act, actor), true);
  add('handback', 'Give the conversation back to its agent, as a new run', HandBackAct, (ref, act, actor) =>
    acts.handBack(ref, act, actor),
  );
  add('pause', 'Quiet, not deaf', PauseAct, (ref, act, actor) => acts.pause(ref, act, actor));
  add('resume', 'Go on', Act, (ref, act, actor) => acts.resume(ref, act, actor));
  add('snooze', 'Move the due time', SnoozeAct, (ref, act, actor) => acts.snooze(ref, act, actor));
  add('wake', 'Tick now', Act, (ref, act, actor) => acts.wake(ref, act, actor));
}

/** @throws {InvalidIdError} naming the part of the path. */
function refOf({ tenant, param }: Asked<unknown, unknown>): RunRef {
  const conversation = param('conversation');
  const subject = conversation === '' ? BUSINESS : conversationSubject(parseConversationId(conversation));
  return { tenant, subject, slot: parseSlot(param('slot')) };
}

export function present<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]: Exclude<Fields[Key], undefined>;
  };
}

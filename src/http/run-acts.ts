/** What people ask of runs that go on, and the way back to one. Idempotent: one that has ended answers how, and nothing is overwritten. */
import { EndedError, NotAttachedError, type ActOptions, type RunClient } from '../client.ts';
import type { ActKind } from '../desk/desk.ts';
import { ms } from '../domain/durations.ts';
import { runName, type AttachmentId, type RunRef } from '../domain/ids.ts';
import type { Act, HandBackAct, PauseAct, Run, SnoozeAct } from '../domain/schemas/runs.ts';
import type { ActAnswer, AskedAct, HttpDeps } from './deps.ts';
import { ahead } from './due-times.ts';
import { ProblemError } from './problems.ts';
import { runFromDesk, summaryOf } from './run-views.ts';
import { stillEnding, type RunService } from './run-service.ts';

type Deps = Pick<HttpDeps, 'desk' | 'runs' | 'handBacks'>;

export class RunActs {
  private readonly deps: Deps;
  private readonly service: RunService;

  constructor(deps: Deps, service: RunService) {
    this.deps = deps;
    this.service = service;
  }

  /** The agent that was attached here comes back, as a new run. @throws {ProblemError} when nobody holds it, or an agent does. */
  async handBack({ ref, act, actor }: AskedAct<HandBackAct>): Promise<ActAnswer> {
    const note = act.note ?? act.reason ?? null;
    const handed = await this.deps.handBacks.handBack({ ref, by: actor, note, id: act.id });
    const name = runName(ref);
    switch (handed.result) {
      case 'handed_back':
        return { run: runFromDesk(handed.run), pending: false };
      case 'never_attached':
        throw new ProblemError('run_not_found', `no agent was attached as ${name}: attach one instead`);
      case 'another_attachment':
        throw new ProblemError('attachment_mismatch', `${name} was last attached as ${handed.run.id}`);
      case 'closed':
        throw new ProblemError(
          'conversation_closed',
          'a closed conversation is not handed back: attach an agent once it is open',
        );
      case 'not_held':
        throw new ProblemError('not_held', 'no human holds the conversation: attach an agent instead');
      case 'ending':
        throw stillEnding(handed.run);
      case 'live':
        throw new ProblemError(
          'already_attached',
          `${handed.run.agent} is attached as ${name}; resume it if it is paused`,
          {
            members: { run: summaryOf(handed.run) },
          },
        );
    }
  }

  async pause(asked: AskedAct<PauseAct>): Promise<ActAnswer> {
    const { until } = asked.act;
    const options = { ...optionsOf(asked), until: until === undefined ? undefined : ahead('until', Date.parse(until)) };
    return this.request(asked, 'pause', (client) => client.pause(asked.ref, options));
  }

  async resume(asked: AskedAct): Promise<ActAnswer> {
    return this.request(asked, 'resume', (client) => client.resume(asked.ref, optionsOf(asked)));
  }

  async snooze(asked: AskedAct<SnoozeAct>): Promise<ActAnswer> {
    const { until, for: length = '0s' } = asked.act;
    const due = until === undefined ? ahead('for', Date.now() + ms(length)) : ahead('until', Date.parse(until));
    return this.request(asked, 'snooze', (client) => client.snooze(asked.ref, { ...optionsOf(asked), until: due }));
  }

  async wake(asked: AskedAct): Promise<ActAnswer> {
    return this.request(asked, 'wake', (client) => client.wakeNow(asked.ref, optionsOf(asked)));
  }

  /** Asks the run, which may refuse; what it accepted is then told to the desk. */
  private async request(
    { ref, act: asked, actor }: AskedAct,
    act: ActKind,
    ask: (client: RunClient) => Promise<Run>,
  ): Promise<ActAnswer> {
    let run: Run;
    try {
      run = await ask(this.deps.runs);
    } catch (error) {
      if (error instanceof EndedError) return { run: await this.service.get(ref, asked.id), pending: false };
      if (error instanceof NotAttachedError) return { run: await this.forgotten(ref, asked), pending: false };
      throw error;
    }
    const { desk } = this.deps;
    const attachment = run.id as AttachmentId;
    const comment = asked.reason ?? null;
    await desk.acts.record({ ...ref, attachment, act, actor, comment, at: new Date().toISOString() });
    const due = {
      ...(run.nextRunAt === null ? {} : { nextRunAt: run.nextRunAt }),
      ...(run.nextRunWhy === null ? {} : { nextRunWhy: run.nextRunWhy }),
    };
    await desk.runs.recordPhase({
      attachment,
      phase: run.phase ?? 'ending',
      ...due,
      ...(act === 'pause' ? { actor, ...(comment === null ? {} : { comment }) } : {}),
    });
    return { run, pending: false };
  }

  /** Temporal has forgotten it, or never knew it: the desk remembers how it ended. */
  private async forgotten(ref: RunRef, { id }: Act): Promise<Run> {
    const run = await this.service.get(ref);
    if (id !== undefined && id !== run.id)
      throw new ProblemError('attachment_mismatch', `${runName(ref)} was last attached as ${run.id}`);
    if (run.endedAt === null)
      throw new ProblemError(
        'no_worker',
        'Temporal no longer knows this run; the reconciler will record how it was lost',
        { retryAfterSeconds: 60 },
      );
    return run;
  }
}

function optionsOf({ act, actor }: AskedAct): ActOptions {
  return { actor, comment: act.reason, attachment: act.id };
}

/**
 * One investigation: look, propose, wait for a decision, look again, act, verify, report. Every rule is in
 * `investigation-state.ts`; this file only connects it to Temporal.
 */
import {
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  patched,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { ms } from '../domain/durations.ts';
import type { InvestigationId, WorkflowId } from '../domain/ids.ts';
import type { Action, Investigation } from '../domain/schemas/investigations.ts';
import { ATTACHE_STATUS } from '../temporal/search-attributes.ts';
import { looking, recording } from './investigation-activities.ts';
import { inParallel } from './in-parallel.ts';
import { newInvestigationData } from './investigation-data.ts';
import { Execution, recordsOf, waitUntil, wordsOf, type LastLook, type Looked } from './investigation-execution.ts';
import type { InvestigationInput } from './investigation-input.ts';
import * as messages from './investigation-messages.ts';
import { InvestigationState } from './investigation-state.ts';
import type { InvestigationIdentity, Material, Proposed, StepFound } from './investigation-types.ts';
import { investigationView, investigationDetails } from './investigation-view.ts';

/** Rolls over after this many occurrences and answers: far below the 10,000 signals a workflow may receive. */
const SIGNALS_PER_EXECUTION = 2_000;
/** Before it, the first action alone was bound to the versions of what it rests on, and a stale later one began them all anew. */
const BINDS_EVERY_ACTION = 'bind-every-action';

export async function investigation(input: InvestigationInput): Promise<Investigation> {
  const { startTime, firstExecutionRunId, workflowId } = workflowInfo();
  const data = input.carried ?? newInvestigationData(startTime.toISOString());
  const of = { id: firstExecutionRunId as InvestigationId, workflowId: workflowId as WorkflowId };
  const course = new Course(new InvestigationState(data, input.policy), input, of);
  course.listen();
  CancellationScope.current().cancelRequested.catch(() => course.state.cancelled(Date.now()));
  return CancellationScope.nonCancellable(() => course.run());
}

class Course {
  readonly state: InvestigationState;
  private readonly input: InvestigationInput;
  private readonly of: InvestigationIdentity;
  private heard = 0;
  private lastLook: LastLook = { versions: [], bindsAll: false };

  constructor(
    state: InvestigationState,
    input: InvestigationInput,
    of: Pick<InvestigationIdentity, 'id' | 'workflowId'>,
  ) {
    this.state = state;
    this.input = input;
    this.of = { ...of, tenant: input.tenant, agent: input.agent };
  }

  /** Handlers are synchronous and only change the state: nothing of theirs can be lost by a roll-over. */
  listen(): void {
    const { state } = this;
    setHandler(
      messages.occurred,
      ({ effectKey }) => {
        this.heard += 1;
        state.occurred(effectKey);
      },
      { description: 'its trigger was seen' },
    );
    setHandler(
      messages.decide,
      (asked: messages.Decide) => {
        state.decide(asked, Date.now());
        return this.view();
      },
      {
        description: 'a person approves or rejects the proposal',
        validator: (asked: messages.Decide) => {
          const refusal = state.refusalOf(asked, Date.now());
          if (refusal !== null)
            throw ApplicationFailure.create({
              message: refusal.message,
              type: messages.NOT_DECIDED,
              nonRetryable: true,
              details: [refusal],
            });
        },
      },
    );
    setHandler(
      messages.answer,
      ({ answer }) => {
        this.heard += 1;
        state.answered(answer);
        return this.view();
      },
      {
        description: 'an answer to a question that waits',
        validator: (asked: messages.Answer) => {
          const refusal = state.refusalOfAnswer(asked);
          if (refusal !== null) throw ApplicationFailure.nonRetryable(refusal, messages.NOTHING_ASKED);
        },
      },
    );
    setHandler(messages.investigationView, () => this.view());
  }

  async run(): Promise<Investigation> {
    if (this.state.data.begun === null) await this.begin();
    while (this.state.isLive()) await this.take();
    await this.tellNews();
    return this.view();
  }

  private async take(): Promise<void> {
    switch (this.state.data.status) {
      case 'investigating':
        return this.look();
      case 'proposed':
        return this.awaitDecision();
      case 'approved':
        return this.lookAgain();
      default:
        return new Execution({
          state: this.state,
          material: this.material(),
          policy: this.input.policy,
          tellNews: () => this.tellNews(),
          lookAnew: async (restsOn) => this.lookAnew(restsOn),
        }).run(this.lastLook);
    }
  }

  private async begin(): Promise<void> {
    const begun = await recording('begin').beginInvestigation({
      of: this.of,
      trigger: this.input.trigger,
      run: this.input.openedBy.id,
      view: this.view(),
    });
    if (begun.result === 'begun') this.state.data.begun = begun;
    else this.state.end('failed', begun.reason, Date.now());
  }

  private async look(): Promise<void> {
    const proposed = await this.orFailed(async () => this.propose());
    if (proposed !== null && proposed.result !== 'holds') this.state.proposed(proposed, Date.now());
    await this.tellNews();
  }

  /** Before anything is done: is what was agreed to still right? */
  private async lookAgain(): Promise<void> {
    const { state } = this;
    const { proposal } = state.data;
    const [first] = proposal?.actions ?? [];
    if (proposal === null || first === undefined) return;
    await this.tellNews();
    await waitUntil(first.notBefore, () => !state.isLive());
    if (!state.isLive()) return;
    const bindsAll = patched(BINDS_EVERY_ACTION);
    const restsOn = bindsAll ? recordsOf(proposal.actions) : first.restsOn;
    const looked = await this.orFailed(async () => this.lookAnew(restsOn));
    if (looked === null) return;
    const { versions, proposed } = looked;
    if (proposed.result === 'holds') {
      this.lastLook = { versions, bindsAll };
      state.confirmed(Date.now());
    } else if (proposed.result === 'dismissed') {
      state.proposed({ ...proposed, reason: `stale, nothing is to be done any more: ${proposed.reason}` }, Date.now());
    } else state.proposed(proposed, Date.now());
    await this.tellNews();
  }

  /** The versions first: what changes while it looks has other ones when it is acted. */
  private async lookAnew(restsOn: Action['restsOn']): Promise<Looked> {
    const versions = restsOn.length === 0 ? [] : await looking('versions').readVersions({ of: this.of, restsOn });
    return { versions, proposed: await this.propose() };
  }

  private async propose(): Promise<Proposed> {
    const { policy } = this.input;
    const timeoutMs = ms(policy.stepTimeout);
    const steps = this.state.data.begun?.steps ?? [];
    const found = await inParallel(steps, policy.parallelSteps, async (step): Promise<[string, StepFound]> => [
      step,
      await looking(step, timeoutMs).investigateStep({ ...this.material(), step, timeoutMs }),
    ]);
    const before = this.state.data.proposal;
    return looking('propose').propose({
      ...this.material(),
      found: Object.fromEntries(found),
      policy,
      now: new Date().toISOString(),
      before,
    });
  }

  private async awaitDecision(): Promise<void> {
    const { state } = this;
    for (;;) {
      await this.tellNews();
      if (this.shouldRollOver()) return this.rollOver();
      const now = Date.now();
      const step = state.nextOfDecision(now);
      if (step.do === 'decided') return;
      if (step.do === 'expire') state.expire(now);
      if (step.do === 'remind') state.remind(now);
      if (step.do === 'escalate') state.escalate(now);
      if (step.do === 'wait')
        await condition(() => this.isDisturbed(step.until), Math.max(1, step.until - now), { summary: 'decision' });
    }
  }

  private isDisturbed(until: number): boolean {
    const step = this.state.nextOfDecision(Date.now());
    return step.do !== 'wait' || step.until < until || this.state.data.isDirty || this.shouldRollOver();
  }

  /** Null: given up, and the investigation has failed. */
  private async orFailed<Result>(look: () => Promise<Result>): Promise<Result | null> {
    try {
      return await look();
    } catch (error) {
      this.state.end('failed', wordsOf(error), Date.now());
      return null;
    }
  }

  private async tellNews(): Promise<void> {
    for (let news = this.state.takeNews(); news !== null; news = this.state.takeNews()) {
      const view = this.view();
      setCurrentDetails(investigationDetails(view));
      upsertSearchAttributes([{ key: ATTACHE_STATUS, value: view.status }]);
      await recording(view.status).recordInvestigation({ of: this.of, view, ...news });
    }
  }

  private shouldRollOver(): boolean {
    return workflowInfo().continueAsNewSuggested || this.heard >= SIGNALS_PER_EXECUTION;
  }

  private async rollOver(): Promise<never> {
    return continueAsNew<typeof investigation>({ ...this.input, carried: this.state.data });
  }

  private material(): Material {
    return { of: this.of, config: this.state.data.begun?.config ?? {}, trigger: this.input.trigger };
  }

  private view(): Investigation {
    return investigationView(this.state.data, this.input, this.of);
  }
}

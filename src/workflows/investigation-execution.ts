/** Carries out what was agreed to: its actions in order, and in reverse what undoes them should one fail for good. */
import { ActivityFailure, condition } from '@temporalio/workflow';
import { ms } from '../domain/durations.ts';
import { isInErp } from '../domain/investigations.ts';
import type { RecordVersion } from '../domain/schemas/erp-writes.ts';
import type { Action, InvestigationPolicy } from '../domain/schemas/investigations.ts';
import { acting, looking, recording } from './investigation-activities.ts';
import { WHAT_IT_RESTS_ON_CHANGED } from './investigation-failure.ts';
import type { InvestigationState } from './investigation-state.ts';
import type { AcceptedOffer, Material, SwitchedOff } from './investigation-types.ts';

/** How often the ERP is asked for a supplier's answer: soon at first, since one may come at once. */
const FIRST_OFFER_POLL_MS = 60_000;
const OFFER_POLL_MS = 15 * 60_000;

/** More, the contract of an ERP does not take (`erp/remote/contract.ts`); an action of its own rests on no more. */
const MAX_PRECONDITION = 20;

/** What was read right before it was confirmed that what was agreed to is still right. */
export interface LastLook {
  readonly versions: readonly RecordVersion[];
  /** False in histories of before every action was bound to versions: then the first one is. */
  readonly bindsAll: boolean;
}

interface Surroundings {
  readonly state: InvestigationState;
  readonly material: Material;
  readonly policy: InvestigationPolicy;
  tellNews(): Promise<void>;
}

export class Execution {
  private readonly around: Surroundings;

  constructor(around: Surroundings) {
    this.around = around;
  }

  async run({ versions, bindsAll }: LastLook): Promise<void> {
    const { state } = this.around;
    const actions = state.data.proposal?.actions ?? [];
    const offers = new Map<string, AcceptedOffer>();
    let known = versions;
    for (const [index, action] of actions.entries()) {
      if (index > 0) await waitUntil(action.notBefore);
      const bound = index === 0 || bindsAll ? boundTo(known, actions.slice(index)) : [];
      const acted = await this.act(action, bound, offers);
      if (acted.result === 'stale' && (index === 0 || !bindsAll)) {
        state.slippedIn(Date.now());
        return;
      }
      // Nobody agreed to the rest alone: what was done is undone, and the watcher sees what there is to do now.
      const result = acted.result === 'stale' ? { result: 'failed' as const, detail: WHAT_IT_RESTS_ON_CHANGED } : acted;
      state.acted(action, result, Date.now());
      await this.around.tellNews();
      if (result.result !== 'done') return this.undo();
      if (bindsAll && isInErp(action.kind)) known = await this.readAgain(known, actions.slice(index + 1));
    }
    await this.verify();
  }

  /** Our own act may have changed what the later ones rest on. Whatever changes after this was somebody else. */
  private async readAgain(
    known: readonly RecordVersion[],
    later: readonly Action[],
  ): Promise<readonly RecordVersion[]> {
    const restsOn = recordsOf(later);
    if (restsOn.length === 0) return known;
    try {
      return await looking('versions').readVersions({ of: this.around.material.of, restsOn });
    } catch (error) {
      if (error instanceof ActivityFailure) return known;
      throw error;
    }
  }

  /** Whoever switches an agent off decides that nothing is done, for however long: it is neither given up nor undone for that. */
  private async whileOn<Answer extends { readonly result: string }>(
    act: () => Promise<Answer | SwitchedOff>,
  ): Promise<Answer> {
    for (;;) {
      const answer = await act();
      if (!isSwitchedOff(answer)) return answer;
      await recording('switched off').awaitSwitchedOn({ of: this.around.material.of });
    }
  }

  private async act(action: Action, precondition: readonly RecordVersion[], offers: Map<string, AcceptedOffer>) {
    const offer =
      action.kind === 'purchaseOrder.create' && action.offerOf !== undefined ? offers.get(action.offerOf) : undefined;
    if (action.kind === 'purchaseOrder.create' && action.offerOf !== undefined && offer === undefined)
      return { result: 'failed' as const, detail: `no earlier step ${action.offerOf} has an accepted offer` };
    // An offer may come while the asking is still being answered.
    const since = new Date().toISOString();
    try {
      const acted = await this.whileOn(async () =>
        acting(`${action.step}: ${action.kind}`).performAction({
          ...{ of: this.around.material.of, action, precondition, awaitsSwitch: true },
          ...(offer === undefined ? {} : { offer }),
        }),
      );
      if (acted.result !== 'done') return acted;
      if (action.kind === 'suppliers.ask') return await this.awaitOffer(action, offers, since);
      if (action.kind === 'person.confirm') return await this.awaitConfirmation(action);
      return acted;
    } catch (error) {
      if (error instanceof ActivityFailure) return { result: 'unknown' as const };
      throw error;
    }
  }

  private async awaitOffer(
    action: Extract<Action, { kind: 'suppliers.ask' }>,
    offers: Map<string, AcceptedOffer>,
    since: string,
  ) {
    const { state } = this.around;
    state.asks(action, Date.now());
    const until = Date.now() + ms(action.within);
    let pause = FIRST_OFFER_POLL_MS;
    while (state.data.answer === null && Date.now() < until) {
      await this.around.tellNews();
      const wait = Math.max(1, Math.min(pause, until - Date.now()));
      if (await condition(() => state.data.answer !== null, wait, { summary: 'offer' })) break;
      pause = Math.min(pause * 2, OFFER_POLL_MS);
      for (const offer of await looking('offers').readOffers({ of: this.around.material.of, action, since }))
        state.answered({ kind: 'offer', ...offer });
    }
    const answer = state.takeAnswer();
    if (answer?.kind !== 'offer')
      return { result: 'failed' as const, detail: `no acceptable offer within ${action.within}` };
    const { supplierId, unitCost, deliverOn } = answer;
    offers.set(action.step, { supplierId, unitCost, deliverOn });
    return {
      result: 'done' as const,
      reference: supplierId,
      detail: `${unitCost.amount} ${unitCost.currency} a piece, on ${deliverOn}`,
    };
  }

  private async awaitConfirmation(action: Extract<Action, { kind: 'person.confirm' }>) {
    const { state } = this.around;
    state.asks(action, Date.now());
    await this.around.tellNews();
    await condition(() => state.data.answer !== null, Math.max(1, ms(action.within)), { summary: 'confirmation' });
    const answer = state.takeAnswer();
    if (answer?.kind === 'confirmation' && answer.yes)
      return { result: 'done' as const, reference: null, detail: answer.note };
    const detail =
      answer?.kind === 'confirmation'
        ? `answered no${answer.note === null ? '' : `: ${answer.note}`}`
        : `no answer within ${action.within}`;
    return { result: 'failed' as const, detail };
  }

  /** In reverse order; what cannot be undone is told. */
  private async undo(): Promise<void> {
    const { state } = this.around;
    for (const { step, reference } of state.toUndo()) {
      const action = state.data.proposal?.actions.find((each) => each.step === step);
      if (action === undefined) continue;
      try {
        const { of } = this.around.material;
        const undone = await this.whileOn(async () =>
          acting(`undo ${step}`).undoAction({ of, action, reference, awaitsSwitch: true }),
        );
        state.undone(step, undone, Date.now());
      } catch (error) {
        if (!(error instanceof ActivityFailure)) throw error;
        state.undone(step, { result: 'unknown' }, Date.now());
      }
      await this.around.tellNews();
    }
    state.failedAndUndone(Date.now());
  }

  private async verify(): Promise<void> {
    const { proposal, results } = this.around.state.data;
    if (proposal === null) return;
    const timeoutMs = ms(this.around.policy.stepTimeout);
    try {
      const verified = await looking('verify', timeoutMs).verify({
        ...this.around.material,
        proposal,
        results,
        timeoutMs,
      });
      this.around.state.verified(verified, Date.now());
    } catch (error) {
      // What was done stands, whether or not anybody could look.
      this.around.state.verified(
        { ok: false, note: `everything was done; it could not be verified: ${wordsOf(error)}` },
        Date.now(),
      );
    }
  }
}

/** What these actions rest on, each record once. */
export function recordsOf(actions: readonly Action[]): Action['restsOn'] {
  const all = actions.flatMap(({ restsOn }) => restsOn);
  return all.filter(({ kind, id }, n) => all.findIndex((one) => one.kind === kind && one.id === id) === n);
}

/** Of what the first of them rests on, and the later ones: what is read again after it was changed by nobody else before it. */
function boundTo(known: readonly RecordVersion[], actions: readonly Action[]): readonly RecordVersion[] {
  const versions = recordsOf(actions).flatMap((record) =>
    known.filter(({ kind, id }) => kind === record.kind && id === record.id),
  );
  return versions.slice(0, MAX_PRECONDITION);
}

function isSwitchedOff(answer: { readonly result: string }): answer is SwitchedOff {
  return answer.result === 'switched_off';
}

/** Or until it `isOver`: what is cancelled waits for nothing. */
export async function waitUntil(instant: string | undefined, isOver = (): boolean => false): Promise<void> {
  const wait = instant === undefined ? 0 : Date.parse(instant) - Date.now();
  if (wait > 0) await condition(isOver, wait, { summary: 'not before' });
}

/** What an activity says of itself, for people. @throws whatever is no activity's failure. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof ActivityFailure)) throw error;
  return (error.cause?.message ?? error.message).slice(0, 1_000);
}

/** Carries out what was agreed to: its actions in order, and in reverse what undoes them should one fail for good. */
import { ActivityFailure, condition, patched } from '@temporalio/workflow';
import { ms } from '../domain/durations.ts';
import { isInErp } from '../domain/investigations.ts';
import type { RecordVersion } from '../domain/schemas/erp-writes.ts';
import type { Action, InvestigationPolicy } from '../domain/schemas/investigations.ts';
import { acting, looking, recording } from './investigation-activities.ts';
import { WHAT_IT_RESTS_ON_CHANGED } from './investigation-failure.ts';
import type { InvestigationState } from './investigation-state.ts';
import type { AcceptedOffer, Material, Proposed, SwitchedOff } from './investigation-types.ts';

/** How often the ERP is asked for a supplier's answer: soon at first, since one may come at once. */
const FIRST_OFFER_POLL_MS = 60_000;
const OFFER_POLL_MS = 15 * 60_000;

/** More, the contract of an ERP does not take (`erp/remote/contract.ts`); an action of its own rests on no more. */
const MAX_PRECONDITION = 20;

/** Before it, a later action that was stale had failed at once. */
const LOOKS_AGAIN_LATER = 'look-again-at-later-actions';

/** What was read right before it was confirmed that what was agreed to is still right. */
export interface LastLook {
  readonly versions: readonly RecordVersion[];
  /** False in histories of before every action was bound to versions: then the first one is. */
  readonly bindsAll: boolean;
}

/** What these records are now, and, by what was read after them, whether what was agreed to holds. */
export interface Looked {
  readonly versions: readonly RecordVersion[];
  readonly proposed: Proposed;
}

interface Surroundings {
  readonly state: InvestigationState;
  readonly material: Material;
  readonly policy: InvestigationPolicy;
  tellNews(): Promise<void>;
  lookAnew(restsOn: Action['restsOn']): Promise<Looked>;
}

export class Execution {
  private readonly around: Surroundings;
  private readonly offers = new Map<string, AcceptedOffer>();
  private known: readonly RecordVersion[] = [];

  constructor(around: Surroundings) {
    this.around = around;
  }

  async run({ versions, bindsAll }: LastLook): Promise<void> {
    const { state } = this.around;
    const actions = state.data.proposal?.actions ?? [];
    this.known = versions;
    for (const [index, action] of actions.entries()) {
      const [before, later] = [actions.slice(0, index), actions.slice(index + 1)];
      if (index > 0) await waitUntil(action.notBefore);
      const acted =
        index > 0 && bindsAll
          ? await this.actLater(action, { before, later })
          : await this.act(action, index === 0 ? boundTo(this.known, actions) : []);
      if (acted.result === 'stale' && (index === 0 || !bindsAll)) {
        state.slippedIn(Date.now());
        return;
      }
      // Nobody agreed to the rest alone: what was done is undone, and the watcher sees what there is to do now.
      const result = acted.result === 'stale' ? { result: 'failed' as const, detail: WHAT_IT_RESTS_ON_CHANGED } : acted;
      state.acted(action, result, Date.now());
      await this.around.tellNews();
      if (result.result !== 'done') return this.undo();
      if (bindsAll && isInErp(action.kind)) await this.readAgain(later);
    }
    await this.verify();
  }

  /**
   * Since the last look days may have gone by, with a question or a date, and records may be other versions though nothing
   * that was decided on has changed. Once we have written ourselves, a look cannot tell that from what we did.
   */
  private async actLater(
    action: Action,
    { before, later }: { readonly before: readonly Action[]; readonly later: readonly Action[] },
  ) {
    const restOn = [action, ...later];
    const mayLook = !before.some(({ kind }) => isInErp(kind));
    let acted = await this.act(action, boundTo(this.known, restOn));
    while (acted.result === 'stale' && mayLook && (await this.stillHolds(restOn)))
      acted = await this.act(action, boundTo(this.known, restOn));
    return acted;
  }

  /** Then the versions of now are what these actions are bound to. */
  private async stillHolds(actions: readonly Action[]): Promise<boolean> {
    if (!patched(LOOKS_AGAIN_LATER) || !this.around.state.looksOnceMore()) return false;
    try {
      const { versions, proposed } = await this.around.lookAnew(recordsOf(actions));
      if (proposed.result !== 'holds') return false;
      this.known = versions;
      return true;
    } catch (error) {
      if (error instanceof ActivityFailure) return false;
      throw error;
    }
  }

  /** Our own act may have changed what the later ones rest on. Whatever changes after this was somebody else. */
  private async readAgain(later: readonly Action[]): Promise<void> {
    const restsOn = recordsOf(later);
    if (restsOn.length === 0) return;
    try {
      this.known = await looking('versions').readVersions({ of: this.around.material.of, restsOn });
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
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

  private async act(action: Action, precondition: readonly RecordVersion[]) {
    const offer =
      action.kind === 'purchaseOrder.create' && action.offerOf !== undefined
        ? this.offers.get(action.offerOf)
        : undefined;
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
      if (action.kind === 'suppliers.ask') return await this.awaitOffer(action, since);
      if (action.kind === 'person.confirm') return await this.awaitConfirmation(action);
      return acted;
    } catch (error) {
      if (error instanceof ActivityFailure) return { result: 'unknown' as const };
      throw error;
    }
  }

  private async awaitOffer(action: Extract<Action, { kind: 'suppliers.ask' }>, since: string) {
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
    this.offers.set(action.step, { supplierId, unitCost, deliverOn });
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

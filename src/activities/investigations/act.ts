/**
 * The activities that act, and undo. Each act has one key for ever, `{investigation}:{step}` (`…:undo` what undoes it):
 * the desk's ledger knows whether it was tried, the ERP whether it was done. An answer is data; no answer is thrown and
 * tried again under the same key, so that what was done is not done twice.
 */
import { Context } from '@temporalio/activity';
import type { ActionAttempt } from '../../desk/desk.ts';
import { ApplicationFailure } from '@temporalio/common';
import type { ErpAnswer, ErpCommand } from '../../domain/schemas/erp-writes.ts';
import type { Erp, ErpPage, ErpReads } from '../../erp/erp.ts';
import type {
  AcceptedOffer,
  Acted,
  ActInput,
  InvestigationIdentity,
  ReadOffersInput,
  Undone,
  UndoInput,
} from '../../workflows/investigation-types.ts';
import { alive } from '../heartbeat.ts';
import { attachFor, detachFor, notifying } from './attach.ts';
import type { InvestigationDeps } from './deps.ts';
import { commandOf, referenceOf, undoingOf } from './erp-commands.ts';
import { actingFailure, lookingFailure } from './failures.ts';
import { erpOf } from './look.ts';

/** The other side's answer is waited for this long. */
const ANSWER_TIMEOUT_MS = 20_000;
/** Somebody has switched the agent off: nothing is done until it is on again. */
const SWITCHED_OFF_PAUSE_MS = 60_000;

export async function performAction(deps: InvestigationDeps, input: ActInput): Promise<Acted> {
  return acting(async (signal) => {
    const { of, action } = input;
    const key = keyOf(of, action.step);
    const before = await deps.desk.investigations.tryAction({ key, tenant: of.tenant, investigation: of.id });
    if (before.state === 'done') return { result: 'done', reference: before.reference, detail: before.detail };
    if (before.state === 'failed') return { result: 'failed', detail: before.detail ?? 'failed before' };
    const command = commandOf(action, input.offer);
    const erp = command === null ? null : erpOf(deps, of);
    // A lost answer: asked for before anything is sent again. Also when switched off, since it may have been done.
    const done = erp === null || before.state === 'new' ? undefined : await erp.findByKey(key, { signal });
    if (done === undefined) await assertSwitchedOn(deps, of);
    const acted =
      done !== undefined
        ? actedOf(done)
        : command !== null && erp !== null
          ? actedOf(await write(erp, command, { key, precondition: input.precondition, signal }))
          : await withoutErp(deps, input, before);
    if (acted.result !== 'stale')
      await deps.desk.investigations.settleAction({
        ...{ key, state: acted.result, detail: acted.detail },
        reference: acted.result === 'done' ? acted.reference : null,
      });
    return acted;
  });
}

export async function undoAction(deps: InvestigationDeps, { of, action, reference }: UndoInput): Promise<Undone> {
  return acting(async (signal) => {
    const key = keyOf(of, action.step);
    if (action.kind === 'agent.attach') return detachFor(deps, { of, action, reference });
    const erp = erpOf(deps, of);
    const known = reference ?? (await doneUnder(erp, key, signal));
    if (known === null) return { result: 'nothing_done' };
    const command = undoingOf(action, known);
    if (command === null) return { result: 'failed', detail: 'it cannot be undone' };
    const undone = actedOf(await write(erp, command, { key: `${key}:undo`, precondition: [], signal }));
    return undone.result === 'done'
      ? { result: 'undone' }
      : { result: 'failed', detail: undone.result === 'failed' ? undone.detail : 'stale' };
  });
}

/** Offers of those who were asked, for this product, that changed after they were asked. */
export async function readOffers(
  deps: InvestigationDeps,
  { of, action, since }: ReadOffersInput,
): Promise<readonly AcceptedOffer[]> {
  const context = Context.current();
  try {
    const erp: ErpReads = erpOf(deps, of);
    const { productId, suppliers } = action;
    const signal = context.cancellationSignal;
    const offers: AcceptedOffer[] = [];
    for (const { supplierId } of suppliers) {
      const page: ErpPage<{ changedAt: string; unitCost: AcceptedOffer['unitCost']; leadTimeDays: number }> =
        await erp.list('offer', { limit: 10, where: { productId, supplierId }, signal });
      for (const { changedAt, unitCost, leadTimeDays } of page.items)
        if (changedAt > since) offers.push({ supplierId, unitCost, deliverOn: dayAfter(deps.clock(), leadTimeDays) });
    }
    return offers;
  } catch (error) {
    throw lookingFailure(error, context.info.attempt);
  }
}

async function withoutErp(
  deps: InvestigationDeps,
  { of, action }: ActInput,
  before: ActionAttempt,
): Promise<Exclude<Acted, { result: 'stale' }>> {
  switch (action.kind) {
    case 'agent.attach':
      return attachFor(deps, { of, action, before });
    case 'customer.notify':
      return attachFor(deps, { of, action: notifying(of, action.step, action), before });
    case 'suppliers.ask': {
      for (const { supplierId, conversation } of action.suppliers)
        if (conversation !== undefined) {
          const ask = notifying(of, `${action.step}:${supplierId}`, { conversation, text: action.text });
          await attachFor(deps, { of, action: ask, before });
        }
      return { result: 'done', reference: null, detail: null };
    }
    default:
      return { result: 'done', reference: null, detail: null };
  }
}

function actedOf(answer: ErpAnswer): Acted {
  switch (answer.outcome) {
    case 'done':
      return { result: 'done', reference: referenceOf(answer.result), detail: null };
    case 'stale':
      return { result: 'stale' };
    case 'not_found':
      return { result: 'failed', detail: `the ERP knows no ${answer.kind} ${answer.id}` };
    case 'refused':
      return { result: 'failed', detail: `${answer.reason}: ${answer.detail}`.slice(0, 500) };
  }
}

async function write(
  erp: Erp,
  command: ErpCommand,
  { key, precondition, signal }: { key: string; precondition: ActInput['precondition']; signal: AbortSignal },
): Promise<ErpAnswer> {
  return erp.write(command, { idempotencyKey: key, precondition, signal });
}

async function doneUnder(erp: Erp, key: string, signal: AbortSignal): Promise<string | null> {
  const done = await erp.findByKey(key, { signal });
  return done === undefined ? null : referenceOf(done.result);
}

/** @throws {ApplicationFailure} tried again later. */
async function assertSwitchedOn(deps: InvestigationDeps, { tenant, agent }: InvestigationIdentity): Promise<void> {
  const switches = await deps.desk.switches.list(tenant);
  const off = switches.find(({ scope, key }) => scope === 'tenant' || (scope === 'agent' && key === agent));
  if (off === undefined) return;
  throw ApplicationFailure.create({
    message: `switched off by ${off.by}: nothing is done until it is on again`,
    type: 'SwitchedOff',
    nextRetryDelay: SWITCHED_OFF_PAUSE_MS,
  });
}

async function acting<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const context = Context.current();
  return alive(context, async () => {
    try {
      return await work(AbortSignal.any([context.cancellationSignal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]));
    } catch (error) {
      throw actingFailure(error, context.info.attempt);
    }
  });
}

function keyOf({ id }: InvestigationIdentity, step: string): string {
  return `${id}:${step}`;
}

/** A local date, counted from the server's day: a promise of days is no finer than that. */
function dayAfter(now: number, days: number): string {
  return new Date(now + days * 86_400_000).toISOString().slice(0, 10);
}

/**
 * The activities that act, and undo. Each act has one key for ever, `{investigation}:{step}` (`…:undo` what undoes it):
 * the desk's ledger knows whether it was tried, the ERP whether it was done. An answer is data; no answer is thrown and
 * tried again under the same key, so that what was done is not done twice.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ErpAnswer, ErpCommand } from '../../domain/schemas/erp-writes.ts';
import { stopperOf } from '../../domain/switches.ts';
import type { Erp, ErpPage, ErpReads } from '../../erp/erp.ts';
import type {
  AcceptedOffer,
  Acted,
  ActInput,
  SwitchedOff,
  InvestigationIdentity,
  ReadOffersInput,
  Undone,
  UndoInput,
} from '../../workflows/investigation-types.ts';
import { alive } from '../heartbeat.ts';
import { attachFor, detachFor, notifying, type Begun } from './attach.ts';
import type { InvestigationDeps } from './deps.ts';
import { commandOf, referenceOf, undoingOf } from './erp-commands.ts';
import { actingFailure, lookingFailure } from './failures.ts';
import { erpOf, versionsOf } from './look.ts';

/** The other side's answer is waited for this long. */
const ANSWER_TIMEOUT_MS = 20_000;
/** How soon it is looked at whether an agent is on again: after an hour of this, less often. */
const SWITCHED_OFF_PAUSE_MS = 60_000;
const LONG_OFF_PAUSE_MS = 5 * SWITCHED_OFF_PAUSE_MS;
const LONG_OFF_ATTEMPTS = 60;
const SWITCHED_OFF = { result: 'switched_off' } as const;

export async function performAction(deps: InvestigationDeps, input: ActInput): Promise<Acted | SwitchedOff> {
  return acting(async (signal) => {
    const { of, action } = input;
    const { investigations } = deps.desk;
    const key = keyOf(of, action.step);
    const command = commandOf(action, input.offer);
    const erp = command === null ? null : erpOf(deps, of);
    const off = await switchOf(deps, of);
    // Before it is written down as tried: whatever fails here, or dies, has begun nothing, and is asked again.
    if (!(await investigations.wasTried(key))) {
      if (off !== undefined) return heldBack(off, input);
      if (erp === null && (await haveChanged(deps, { ...input, signal }))) return { result: 'stale' };
    }
    const lookedAt = deps.clock();
    const before = await investigations.tryAction({ key, tenant: of.tenant, investigation: of.id });
    if (before.state === 'done') return { result: 'done', reference: before.reference, detail: before.detail };
    if (before.state === 'failed') return { result: 'failed', detail: before.detail ?? 'failed before' };
    // A lost answer: asked for before anything is sent again. Also when switched off, since it may have been done.
    const done =
      erp === null || before.state === 'new'
        ? undefined
        : await erp.findByKey(key, { signal }).catch((error: unknown) => {
            if (off === undefined) throw error;
            return undefined;
          });
    const acted =
      done !== undefined
        ? actedOf(done)
        : off !== undefined
          ? SWITCHED_OFF
          : command !== null && erp !== null
            ? actedOf(await write(erp, command, { key, precondition: input.precondition, signal }))
            : await withoutErp(deps, input, { before, lookedAt });
    if (acted.result === 'done' || acted.result === 'failed')
      await investigations.settleAction({
        ...{ key, state: acted.result, detail: acted.detail },
        reference: acted.result === 'done' ? acted.reference : null,
      });
    else if (before.state === 'new') await investigations.actionNotTried(key);
    return off !== undefined && acted.result === 'switched_off' ? heldBack(off, input) : acted;
  });
}

export async function undoAction(deps: InvestigationDeps, input: UndoInput): Promise<Undone | SwitchedOff> {
  const { of, action, reference } = input;
  return acting(async (signal) => {
    const off = await switchOf(deps, of);
    if (off !== undefined) return heldBack(off, input);
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

export async function awaitSwitchedOn(
  deps: InvestigationDeps,
  { of }: { readonly of: InvestigationIdentity },
): Promise<void> {
  const off = await switchOf(deps, of);
  if (off !== undefined) throw stillOff(off, Context.current().info.attempt);
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

async function withoutErp(deps: InvestigationDeps, { of, action }: ActInput, begun: Begun): Promise<Acted> {
  switch (action.kind) {
    case 'agent.attach':
      return attachFor(deps, { of, action, ...begun });
    case 'customer.notify':
      return attachFor(deps, { of, action: notifying(of, action.step, action), ...begun });
    case 'suppliers.ask': {
      for (const { supplierId, conversation } of action.suppliers)
        if (conversation !== undefined) {
          const ask = notifying(of, `${action.step}:${supplierId}`, { conversation, text: action.text });
          await attachFor(deps, { of, action: ask, ...begun });
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

/** What switches the agent off; undefined: it is on. */
async function switchOf(deps: InvestigationDeps, { tenant, agent }: InvestigationIdentity) {
  const switches = await deps.desk.switches.list(tenant);
  return stopperOf(switches, { scope: 'agent', key: agent });
}

/** @throws {ApplicationFailure} tried again later: for a workflow that does not wait for the switch. */
function heldBack(off: { readonly by: string }, { awaitsSwitch = false }: { readonly awaitsSwitch?: boolean }) {
  if (awaitsSwitch) return SWITCHED_OFF;
  throw stillOff(off, 1);
}

function stillOff({ by }: { readonly by: string }, attempt: number): ApplicationFailure {
  return ApplicationFailure.create({
    message: `switched off by ${by}: nothing is done until it is on again`,
    type: 'SwitchedOff',
    nextRetryDelay: attempt > LONG_OFF_ATTEMPTS ? LONG_OFF_PAUSE_MS : SWITCHED_OFF_PAUSE_MS,
  });
}

/** The ERP itself compares before it writes; for what is done outside of it, this does. */
async function haveChanged(
  deps: InvestigationDeps,
  { of, precondition, signal }: Pick<ActInput, 'of' | 'precondition'> & { signal: AbortSignal },
): Promise<boolean> {
  if (precondition.length === 0) return false;
  const now = await versionsOf(erpOf(deps, of), precondition, signal);
  return precondition.some(
    (was) => now.find(({ kind, id }) => kind === was.kind && id === was.id)?.version !== was.version,
  );
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

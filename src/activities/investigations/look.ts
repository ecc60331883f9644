/** The activities that read: the beginning, the steps, the proposal, the versions it rests on, the verification. */
import { Context } from '@temporalio/activity';
import type { z } from 'zod';
import type { Investigator, Investigating } from '../../agents/investigate.ts';
import { formatDuration, ms } from '../../domain/durations.ts';
import { approvalsNeeded, costOf, riskOf } from '../../domain/investigation-rules.ts';
import { STEP_PATTERN } from '../../domain/investigations.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { MAX_STATE_BYTES } from '../../domain/outcomes.ts';
import { notPlainJson } from '../../domain/plain-json.ts';
import { Evidence, ProposalDraft, type Preconditions, type Proposal } from '../../domain/schemas/investigations.ts';
import { problemsOf, problemText } from '../../domain/schemas/issues.ts';
import type { RecordVersion } from '../../domain/schemas/erp-writes.ts';
import type { Erp, ErpReads } from '../../erp/erp.ts';
import type {
  BeginInput,
  Begun,
  InvestigationIdentity,
  Material,
  Proposed,
  ProposeInput,
  StepFound,
  StepInput,
  VerifyInput,
  VersionsInput,
} from '../../workflows/investigation-types.ts';
import { UnknownAgentError } from '../failures.ts';
import { alive } from '../heartbeat.ts';
import { canonical, hashOf } from './canonical.ts';
import type { InvestigationDeps } from './deps.ts';
import { InvestigatorFaultError, lookingFailure } from './failures.ts';

/** Pieces of evidence one step may bring: a person reads them. */
const MAX_EVIDENCE = 50;

/** Writes the row down, and reads from the run that opened it how its agent is configured. */
export async function beginInvestigation(deps: InvestigationDeps, { of, trigger, view }: BeginInput): Promise<Begun> {
  return looking(async () => {
    const investigator = investigatorOf(deps, of);
    await deps.desk.investigations.record({ view, version: 0, tell: [], counted: [] });
    const { subject, slot, id } = view.openedBy;
    const run = await deps.desk.runs.get({ tenant: of.tenant, subject, slot, id });
    const config = investigator.config.safeParse(run?.config ?? {});
    if (!config.success) return { result: 'refused', reason: wordsOf('config', config.error) };
    const parsed = investigator.trigger.safeParse(trigger);
    if (!parsed.success) return { result: 'refused', reason: wordsOf('trigger', parsed.error) };
    const steps = Object.keys(investigator.steps);
    const wrong = steps.find((step) => !STEP_PATTERN.test(step));
    if (wrong !== undefined)
      return {
        result: 'refused',
        reason: `the step ${wrong} must be called in lower-case letters, digits and hyphens`,
      };
    return { result: 'begun', config: config.data as JsonObject, steps };
  });
}

export async function investigateStep(deps: InvestigationDeps, input: StepInput): Promise<StepFound> {
  return looking(async () => {
    const step = investigatorOf(deps, input.of).steps[input.step];
    if (step === undefined) throw new UnknownAgentError(`no worker here knows the step ${input.step}`);
    const found = await withinTime(input.timeoutMs, async (signal) => step(investigating(deps, input, signal)));
    return checkedFound(input.step, found);
  });
}

/** Pure but for the hashes: what there is to decide, or that what was decided still holds. */
export async function propose(deps: InvestigationDeps, input: ProposeInput): Promise<Proposed> {
  return looking(async () => {
    const { found, config, trigger, now, before } = input;
    const facts = Object.fromEntries(Object.entries(found).map(([step, { facts: each }]) => [step, each]));
    const investigator = investigatorOf(deps, input.of);
    const draft = investigator.propose({ config, trigger, facts, now });
    if ('dismiss' in draft) return { result: 'dismissed', reason: draft.dismiss };
    const parsed = ProposalDraft.safeParse(draft);
    if (!parsed.success)
      throw new InvestigatorFaultError(`the proposal does not fit: ${wordsOf('proposal', parsed.error)}`);
    const fingerprint = hashOf(parsed.data.preconditions);
    const changed = before === null ? [] : changesBetween(before.preconditions, parsed.data.preconditions);
    if (before !== null && (before.fingerprint === fingerprint || investigator.stillHolds(changed)))
      return { result: 'holds' };
    return { result: 'proposed', proposal: proposalOf(parsed.data, { ...input, fingerprint, changed }) };
  });
}

function proposalOf(
  { summary, method, actions, preconditions, expiresAt }: ProposalDraft,
  {
    found,
    policy,
    now,
    before,
    ...compared
  }: ProposeInput & { readonly fingerprint: string; readonly changed: Proposal['changed'] },
): Proposal {
  const latest = new Date(Date.parse(now) + ms(policy.expiresIn)).toISOString();
  const decidedOn = {
    ...{ revision: (before?.revision ?? 0) + 1, summary, method, actions, preconditions },
    evidence: Object.values(found).flatMap(({ evidence }) => evidence),
    expiresAt: expiresAt !== undefined && expiresAt < latest ? expiresAt : latest,
  };
  const [cost, risk] = [costOf(actions), riskOf(actions)];
  return {
    ...decidedOn,
    ...{ hash: hashOf(decidedOn), cost, risk, proposedAt: now },
    ...{ fingerprint: compared.fingerprint, changed: compared.changed },
    approvals: approvalsNeeded({ cost, risk }, policy),
  };
}

export function changesBetween(before: Preconditions, after: Preconditions): Proposal['changed'] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const [was, is]: [Json, Json] = [before[name] ?? null, after[name] ?? null];
    return canonical(was) === canonical(is) ? [] : [{ name, before: was, after: is }];
  });
}

export async function readVersions(deps: InvestigationDeps, { of, restsOn }: VersionsInput): Promise<RecordVersion[]> {
  return looking(async () => versionsOf(erpOf(deps, of), restsOn, Context.current().cancellationSignal));
}

/** As they are now; a record that is not there has no version, and the write will say so. */
export async function versionsOf(
  erp: ErpReads,
  records: VersionsInput['restsOn'] | readonly RecordVersion[],
  signal: AbortSignal,
): Promise<RecordVersion[]> {
  const read = async ({ kind, id }: VersionsInput['restsOn'][number]): Promise<RecordVersion[]> => {
    const record = await erp.get(kind, id, { signal });
    return record === undefined ? [] : [{ kind, id, version: record.version }];
  };
  return (await Promise.all(records.map(read))).flat();
}

export async function verify(deps: InvestigationDeps, input: VerifyInput): Promise<{ ok: boolean; note: string }> {
  return looking(async () => {
    const { proposal, results } = input;
    const found = await withinTime(input.timeoutMs, async (signal) =>
      investigatorOf(deps, input.of).verify({ ...investigating(deps, input, signal), proposal, results }),
    );
    return { ok: found.ok, note: found.note.slice(0, 1_000) };
  });
}

/** Heartbeats, and failures as `failures.ts` has them. */
async function looking<Result>(work: () => Promise<Result>): Promise<Result> {
  const context = Context.current();
  return alive(context, async () => {
    try {
      return await work();
    } catch (error) {
      throw lookingFailure(error, context.info.attempt);
    }
  });
}

export function erpOf(deps: InvestigationDeps, { tenant }: Pick<InvestigationIdentity, 'tenant'>): Erp {
  const erp = deps.erps.of(tenant);
  if (erp === undefined) throw new InvestigatorFaultError(`tenant ${tenant} has no ERP in the configuration: name one`);
  return erp;
}

/** @throws {UnknownAgentError} Perhaps a newer worker knows it: tried again until one does. */
function investigatorOf(deps: InvestigationDeps, { agent }: InvestigationIdentity): Investigator {
  const investigator = deps.agents.get(agent)?.investigator;
  if (investigator == null) throw new UnknownAgentError(`no worker here knows how ${agent} investigates`);
  return investigator;
}

function investigating(
  deps: InvestigationDeps,
  { of, config, trigger }: Material,
  signal: AbortSignal,
): Investigating<JsonObject, JsonObject> {
  const settings = deps.tenant(of.tenant);
  if (settings === undefined) throw new UnknownAgentError(`tenant ${of.tenant} is not in this worker's configuration`);
  const { id, name, timeZone } = settings;
  const erp: ErpReads = erpOf(deps, of);
  return { config, trigger, tenant: { id, name, timeZone }, erp, now: new Date(deps.clock()).toISOString(), signal };
}

/** @throws {InvestigatorFaultError} when it takes longer: a step that ignores its signal cannot hold the investigation. */
async function withinTime<Result>(timeoutMs: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const { cancellationSignal } = Context.current();
  const deadline = new AbortController();
  let stop = (): void => undefined;
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => {
      const error = new Error(`took longer than ${formatDuration(timeoutMs)}`);
      deadline.abort(error);
      reject(error);
    }, timeoutMs);
    stop = () => clearTimeout(timer);
  });
  try {
    return await Promise.race([work(AbortSignal.any([cancellationSignal, deadline.signal])), late]);
  } finally {
    stop();
  }
}

function checkedFound(step: string, { facts, evidence }: { facts: unknown; evidence: readonly unknown[] }): StepFound {
  const bent = notPlainJson(facts);
  if (bent !== null || typeof facts !== 'object' || facts === null || Array.isArray(facts))
    throw new InvestigatorFaultError(`the facts of ${step} must be an object of plain JSON`);
  const bytes = Buffer.byteLength(JSON.stringify(facts));
  if (bytes > MAX_STATE_BYTES)
    throw new InvestigatorFaultError(`the facts of ${step} take ${bytes} bytes as JSON; at most ${MAX_STATE_BYTES}`);
  const parsed = Evidence.array().max(MAX_EVIDENCE).safeParse(evidence);
  if (!parsed.success) throw new InvestigatorFaultError(`${step}: ${wordsOf('evidence', parsed.error)}`);
  return { facts: facts as JsonObject, evidence: parsed.data };
}

function wordsOf(field: string, error: z.ZodError): string {
  return problemsOf(error, field).map(problemText).join('; ').slice(0, 500);
}

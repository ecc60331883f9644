/** What rows of the desk have to tell, as it is told. */
import type { Investigation } from '../../domain/schemas/investigations.ts';
import { NoticedInvestigation, NoticedRun } from '../../domain/schemas/notices.ts';
import type { RunRecord } from '../ports/runs.ts';
import type { InvestigationNotice } from '../ports/investigations.ts';
import type { LedgerRow } from '../ports/ledger.ts';
import type { Fact } from './announce.ts';

export function attachedFact(run: RunRecord): Fact {
  return runFact('run.attached', run, run.attachedAt);
}

/** An end by a human's hand is told twice, under both names: whoever only cares about takeovers needs no list of reasons. */
export function endFacts(run: RunRecord): readonly Fact[] {
  const at = run.endedAt ?? new Date().toISOString();
  const ended = runFact('run.ended', run, at);
  return run.status === 'EXITED_ON_OUTBOUND' ? [ended, runFact('run.tookOver', run, at)] : [ended];
}

export function effectFacts(
  row: Pick<LedgerRow, 'key' | 'tenant' | 'subject' | 'attachment' | 'effect'>,
  failure: {
    readonly state: 'failed' | 'unknown';
    readonly reason: string;
    readonly unreachable: boolean;
    readonly workflowId: string;
  },
): readonly Fact[] {
  const { key, tenant, subject, attachment, effect } = row;
  const { state, reason, unreachable, workflowId } = failure;
  const data = { effect: { key, kind: effect.kind, state, reason, run: { id: attachment, workflowId } } };
  const fact = { key, tenant, subject, time: new Date().toISOString(), data };
  const failed: Fact = { ...fact, type: 'effect.failed' };
  return unreachable ? [failed, { ...fact, type: 'message.unreachable' }] : [failed];
}

export function investigationFact(view: Investigation, { type, key, at, links }: InvestigationNotice): Fact {
  const { id, tenant, openedBy } = view;
  const data = { investigation: NoticedInvestigation.parse(view), links: [...links] };
  return { type, key: `${id}:${key}`, tenant, subject: openedBy.subject, time: at, data };
}

function runFact(type: Fact['type'], run: RunRecord, time: string): Fact {
  const { tenant, subject, id } = run;
  return { type, key: id, tenant, subject, time, data: { run: NoticedRun.parse(run) } };
}

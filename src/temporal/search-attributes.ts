/** What Temporal's lists can be filtered by. Written in clear by Temporal: no personal data, ever. */
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import { runName, type RunRef } from '../domain/ids.ts';
import type { RunStatus } from '../domain/statuses.ts';

export const ATTACHE_TENANT = defineSearchAttributeKey('AttacheTenant', 'KEYWORD');
export const ATTACHE_AGENT = defineSearchAttributeKey('AttacheAgent', 'KEYWORD');
export const ATTACHE_SUBJECT = defineSearchAttributeKey('AttacheSubject', 'KEYWORD');
export const ATTACHE_STATUS = defineSearchAttributeKey('AttacheStatus', 'KEYWORD');
/** Removed when the run ends. */
export const ATTACHE_NEXT_RUN_AT = defineSearchAttributeKey('AttacheNextRunAt', 'DATETIME');

/** All that must be registered in a namespace before anything starts. */
export const SEARCH_ATTRIBUTES = [
  ATTACHE_TENANT,
  ATTACHE_AGENT,
  ATTACHE_SUBJECT,
  ATTACHE_STATUS,
  ATTACHE_NEXT_RUN_AT,
] as const;

/** A run's attributes as it starts. */
export function startAttributes(
  run: RunRef & { readonly agent: string; readonly nextRunAt: string },
): SearchAttributePair[] {
  const status: RunStatus = 'IN_PROGRESS';
  return [
    { key: ATTACHE_TENANT, value: run.tenant },
    { key: ATTACHE_AGENT, value: run.agent },
    { key: ATTACHE_SUBJECT, value: run.subject },
    { key: ATTACHE_STATUS, value: status },
    { key: ATTACHE_NEXT_RUN_AT, value: new Date(run.nextRunAt) },
  ];
}

/** One line for Temporal Web's list. */
export function startSummary(run: RunRef & { readonly agent: string }): string {
  return `${run.agent} on ${runName(run)}`;
}

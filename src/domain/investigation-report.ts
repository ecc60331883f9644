/** What the run that opened an investigation hears of its end: an event on that run's subject. */
import type { Investigation } from './schemas/investigations.ts';

/** Of a type with the agent's name, so that a watcher wakes on its own alone; under the investigation's id, so stored once. */
export function reportOf(view: Investigation) {
  const { id, tenant, agent, signature, status, reason, endedAt, updatedAt, openedBy, trigger, occurrences } = view;
  const { results, verification } = view;
  return {
    tenant,
    channel: null,
    event: {
      ...{ id, source: 'investigation', type: `custom.investigation.${agent}` as const, subject: openedBy.subject },
      time: endedAt ?? updatedAt,
      data: {
        ...{ investigation: id, signature, status, reason, occurrences, trigger },
        verified: verification?.ok ?? null,
        results: results.map(({ step, kind, state, reference }) => ({ step, kind, state, reference })),
      },
    },
  };
}

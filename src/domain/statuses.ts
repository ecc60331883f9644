/**
 * How a run can stand and end: closed sets, plain values (the workflow bundle imports this file). Nothing ends a run with
 * `budget_exhausted` or `loop_guard` yet: they stand here so that whoever reads reasons knows the whole set.
 */

export const REASONS_OF = {
  COMPLETED: ['goal_reached', 'handed_off', 'gave_up'],
  EXITED_ON_OUTBOUND: ['human_replied', 'taken_over', 'closed_by_human'],
  EXITED_ON_INBOUND: ['customer_replied', 'opted_out'],
  REMOVED_BY_USER: ['detached', 'switched_off'],
  REMOVED_BY_SYSTEM: [
    'consecutive_failures',
    'crash_loop',
    'budget_exhausted',
    'message_cap',
    'tick_cap',
    'loop_guard',
    'invalid_config',
    'unreachable_contact',
    'lost',
  ],
} as const;

export type TerminalStatus = keyof typeof REASONS_OF;
export type EndReason = (typeof REASONS_OF)[TerminalStatus][number];
export type RunStatus = 'IN_PROGRESS' | TerminalStatus;

export const TERMINAL_STATUSES = Object.keys(REASONS_OF) as TerminalStatus[];
export const RUN_STATUSES: readonly RunStatus[] = ['IN_PROGRESS', ...TERMINAL_STATUSES];
export const END_REASONS: readonly EndReason[] = Object.values(REASONS_OF).flat();

/** What an IN_PROGRESS run is doing right now. */
export const PHASES = ['asleep', 'debouncing', 'thinking', 'sending', 'paused', 'ending'] as const;
export type Phase = (typeof PHASES)[number];

/** Decided, with its last effects or its record still to be done: its name is free in a moment. */
export function isEnding({ status, phase }: { readonly status: RunStatus; readonly phase: Phase | null }): boolean {
  return status !== 'IN_PROGRESS' || phase === 'ending';
}

/** The statuses and reasons an agent may choose for itself; the others belong to people and to the system. */
export const AGENT_ENDS = {
  COMPLETED: ['goal_reached', 'handed_off', 'gave_up'],
  EXITED_ON_INBOUND: ['customer_replied', 'opted_out'],
} as const satisfies Partial<Record<TerminalStatus, readonly EndReason[]>>;

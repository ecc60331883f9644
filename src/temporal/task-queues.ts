/** Workflows, effects, and the ticks that call no model: short work, dispatched eagerly. */
export const TASK_QUEUE = 'attache';
/** Ticks of agents that call a language model: they hold a slot for minutes. */
export const THINKING_QUEUE = 'attache-thinking';

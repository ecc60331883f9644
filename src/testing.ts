/** `attache-agents/testing`: run an agent against a scripted customer with time skipped, in memory. */
export { rehearse } from './testing/rehearsal.ts';
export type { Rehearsal } from './testing/rehearsal.ts';
export type { RehearsalOptions, RehearsedRun } from './testing/options.ts';
export type { RefusedMessage, SentMessage } from './testing/outbox.ts';

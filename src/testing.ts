/** `attache-agents/testing`: run an agent against a scripted customer with time skipped, in memory. */
export { rehearse } from './testing/rehearsal.ts';
export type { Rehearsal, RehearsalOptions, RehearsedRun } from './testing/rehearsal.ts';
export type { RefusedMessage, SentMessage } from './testing/outbox.ts';

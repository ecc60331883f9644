/** `attache-agents/client`: the life of runs for a CRM's back end, over its own Temporal client. */
export {
  createRunClient,
  type Attached,
  type AttachOptions,
  type RunClient,
  type Signalled,
} from './client/run-client.ts';
export type { ActOptions, RunName } from './client/names.ts';
export type { RunUpdates } from './client/updates.ts';
export type { RunDescription } from './client/descriptions.ts';
export type { RunListFilter } from './client/visibility.ts';
export {
  AttachmentMismatchError,
  EndedError,
  NotAttachedError,
  NoWorkerError,
  TemporalUnavailableError,
} from './client/errors.ts';
export { InvalidIdError, InvalidInputError } from './domain/errors.ts';
export type { Run, RunSummary } from './domain/schemas/runs.ts';
export type { EndReason, RunStatus } from './domain/statuses.ts';

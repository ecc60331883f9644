/** `attache-agents`: what an author of agents needs. Works in a bare Node process: no Temporal, no database. */
export { z } from 'zod';

export { defineAgent } from './agents/define-agent.ts';
export type {
  Agent,
  AgentDefinition,
  ConversationView,
  FileInfo,
  HumanStretch,
  MediaFile,
  Tick,
  TranscriptMessage,
} from './agents/define-agent.ts';
export { close, handOff, note, openInvestigation, say, sayAll } from './agents/effects.ts';
export type { SayOptions } from './agents/effects.ts';
export { defineInvestigator, dismiss } from './agents/investigate.ts';
export type { Dismissal, Found, Investigating, Investigator, Proposing, Verification } from './agents/investigate.ts';
export { finish, reschedule } from './agents/outcomes.ts';
export type { FinishInput, RescheduleInput, When } from './agents/outcomes.ts';
export { appointmentReminder } from './agents/appointment-reminder/appointment-reminder.ts';
export { followUp } from './agents/follow-up/follow-up.ts';
export { leadQualification } from './agents/lead-qualification/lead-qualification.ts';

export { textOf } from './domain/contents.ts';
export {
  InvalidIdError,
  InvalidInputError,
  InvalidOutcomeError,
  OUTCOME_RULES,
  ProviderOutageError,
} from './domain/errors.ts';
export type { InputProblem, OutcomeRule } from './domain/errors.ts';
export type { Json, JsonObject } from './domain/json.ts';
export { endOfSpan, isWithinDaySpan, localDate, nextLocal, WORKING_DAYS } from './domain/local-time.ts';
export type { Weekday } from './domain/local-time.ts';
export { MAX_EFFECTS, MAX_INTERVAL_MS, MAX_STATE_BYTES, MIN_INTERVAL_MS } from './domain/outcomes.ts';
export type { Finish, Outcome, Reschedule } from './domain/outcomes.ts';
export { AGENT_ENDS, REASONS_OF } from './domain/statuses.ts';
export type { EndReason, RunStatus, TerminalStatus } from './domain/statuses.ts';

export { Effect } from './domain/schemas/effects.ts';
export { TemplateMessage } from './domain/schemas/templates.ts';
export type { EffectInput, MessageSend } from './domain/schemas/effects.ts';
export type { EventType, MessageContent, StoredEvent } from './domain/schemas/events.ts';
export type { ErpReads } from './erp/erp.ts';
export { Money } from './domain/schemas/erp-records.ts';
export { Action, Evidence, ProposalDraft } from './domain/schemas/investigations.ts';
export type {
  ActionInput,
  ActionResult,
  Investigation,
  InvestigationPolicy,
  Proposal,
  ProposalInput,
} from './domain/schemas/investigations.ts';
export { DaySpan, WallClock } from './domain/schemas/policy.ts';
export type { Policy, PolicyInput } from './domain/schemas/policy.ts';
export type { PendingEffect } from './domain/schemas/runs.ts';
export { Duration, Instant, TimeZone } from './domain/schemas/values.ts';

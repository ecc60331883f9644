/**
 * The desk: our own database, as the rest of the system sees it. Implemented once with drizzle, for PGlite and
 * PostgreSQL alike. Every method is one transaction; what returns has been committed. Instants are ISO-8601 UTC.
 */
import type { Db } from './database/database.ts';
import type { Acts } from './ports/acts.ts';
import type { ChangeLog } from './ports/changes.ts';
import type { Conversations } from './ports/conversations.ts';
import type { Events } from './ports/events.ts';
import type { FanOuts } from './ports/fan-outs.ts';
import type { Home } from './ports/home.ts';
import type { Intake } from './ports/intake.ts';
import type { Investigations } from './ports/investigations.ts';
import type { Ledger } from './ports/ledger.ts';
import type { Limits } from './ports/limits.ts';
import type { Outbox } from './ports/outbox.ts';
import type { Retention } from './ports/retention.ts';
import type { Audit, Idempotency, Keys, ServerSecrets, Sessions } from './ports/people.ts';
import type { Reports } from './ports/reports.ts';
import type { Polls } from './ports/polls.ts';
import type { Runs } from './ports/runs.ts';
import type { ShutChannels } from './ports/shut-channels.ts';
import type { Switches } from './ports/switches.ts';

export type { Change, ChangeLog, ChangeType } from './ports/changes.ts';
export type { Page } from './ports/page.ts';
export type { DeliverableEvent, EventMeaning, Intake, IntakeItem, IntakeResult } from './ports/intake.ts';
export type { EventRecord, EventStatus, Events, Letter } from './ports/events.ts';
export type {
  ContactRecord,
  ConversationRecord,
  Conversations,
  DeliveredCount,
  FileRef,
  MediaRef,
  MessageRecord,
  Owner,
  SendCounts,
  SightOfRun,
} from './ports/conversations.ts';
export type { ListedRun, RunCondition, RunCounts, RunFilter, RunRecord, RunSort, Runs } from './ports/runs.ts';
export type { TickRecord, TimelineEntry } from './ports/timeline.ts';
export type { Ledger, LedgerRow, LedgerState } from './ports/ledger.ts';
export type { ActKind, ActRecord, Acts } from './ports/acts.ts';
export type { ShutChannel, ShutChannels } from './ports/shut-channels.ts';
export type { Switch, Switches } from './ports/switches.ts';
export type { AcceptedAct, FanOut, FanOutRef, FanOuts, ReceiptLine, Recipient, Settled } from './ports/fan-outs.ts';
export type {
  ActionAttempt,
  InvestigationFilter,
  InvestigationNotice,
  Investigations,
} from './ports/investigations.ts';
export type { Limits } from './ports/limits.ts';
export type {
  DeliveryRound,
  EndpointOff,
  Outbox,
  Subscribers,
  WebhookAttempt,
  WebhookDelivery,
} from './ports/outbox.ts';
export type { Audit, AuditEntry, Idempotency, KeyRecord, Keys, KeyRef, NewKey, Sessions } from './ports/people.ts';

export interface Desk {
  readonly intake: Intake;
  readonly events: Events;
  readonly conversations: Conversations;
  readonly runs: Runs;
  readonly ledger: Ledger;
  readonly acts: Acts;
  readonly switches: Switches;
  readonly shutChannels: ShutChannels;
  readonly limits: Limits;
  readonly home: Home;
  readonly outbox: Outbox;
  readonly fanOuts: FanOuts;
  readonly retention: Retention;
  readonly polls: Polls;
  readonly keys: Keys;
  readonly sessions: Sessions;
  readonly audit: Audit;
  readonly idempotency: Idempotency;
  readonly secrets: ServerSecrets;
  readonly reports: Reports;
  readonly changes: ChangeLog;
  /** The same database, for what keeps a schema of its own in it: the demo ERP. */
  readonly database: Db;
  readonly investigations: Investigations;
  /** Answers when the database does. @throws when it cannot be reached. */
  ping(): Promise<void>;
  /** Why the embedded database can serve no more, once it cannot; PostgreSQL comes back, and never says so. */
  readonly stopped: Promise<Error>;
  close(): Promise<void>;
}

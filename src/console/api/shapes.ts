/**
 * What the server answers, as the console reads it: the API's own types, and the desk's where the API hands records on.
 * A field that an older server may not send yet is optional, and what shows it does without.
 */
import type { ActKind, Switch as StoredSwitch } from '../../desk/desk.ts';
import type { ReceiptLine as WholeLine } from '../../domain/schemas/fan-out.ts';
import type { HandBackAct, OneRun, PauseAct, Run as WholeRun, SnoozeAct } from '../../domain/schemas/runs.ts';
import type { Channel as WholeChannel } from '../../http/answers/channels.ts';
import type { Calendar } from '../../http/answers/outcomes.ts';
import type { ListedRun } from '../../http/answers/runs.ts';
import type { Session as WholeSession } from '../../http/answers/session.ts';

export type {
  AuditEntry,
  EventRecord,
  MediaRef,
  MessageRecord,
  Page,
  TimelineEntry,
  WebhookAttempt,
  WebhookDelivery,
} from '../../desk/desk.ts';
export type { Role } from '../../domain/roles.ts';
export type { BulkView as Bulk } from '../../domain/schemas/fan-out.ts';
export type { WakeStep } from '../../domain/schemas/next-wake.ts';
export type { AgentView } from '../../http/answers/agents.ts';
export type { Conversation } from '../../http/answers/conversations.ts';
export type { Endpoint, OneDelivery } from '../../http/answers/deliveries.ts';
export type { Calendar, EndedGroup, Outcomes } from '../../http/answers/outcomes.ts';
export type { RunCounts, Stats } from '../../http/answers/runs.ts';

/** What the server sends, but for `New`, which an older one does not. */
type Newer<Whole, New extends keyof Whole> = Omit<Whole, New> & { readonly [Field in New]?: Whole[Field] };

export type Session = Newer<WholeSession, 'temporalWeb' | 'panel'>;
/** A line of the list. */
export type RunRow = Newer<ListedRun, 'contact' | 'costUsd' | 'trouble' | 'heldUp'>;
export type Channel = Newer<WholeChannel, 'sends' | 'shut'>;
/** An act answers it without the steps to its next wake-up. */
export type Run = WholeRun & Partial<Pick<OneRun, 'nextRunSteps'>>;

/** What became of one run of many, whether the server has a receipt or the console asked one by one. */
export type ReceiptLine = Pick<WholeLine, 'subject' | 'slot' | 'state' | 'reason'>;

export type Switch = Omit<StoredSwitch, 'tenant'>;
export type CalendarHour = Calendar['items'][number];

export type ActName = Exclude<ActKind, 'attach'>;
export type ActBody = Omit<HandBackAct & PauseAct & SnoozeAct, 'by'>;
export type ActedRun = Run & { readonly pending?: true };

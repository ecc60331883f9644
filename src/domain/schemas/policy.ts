/** What bounds an agent: written by its author, overridden per tenant in the configuration, resolved once by prepare. */
import { z } from 'zod';
import { durationMs } from '../durations.ts';
import { InvestigationPolicyInput } from './investigations.ts';
import { Country, Duration, TimeZone } from './values.ts';

/** Hours and minutes as a clock on the wall shows them. */
export const WallClock = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a wall-clock time such as 21:00' });

/** A span of the day in the contact's zone; from after to = over midnight. */
export const DaySpan = z.strictObject({ from: WallClock, to: WallClock });
export type DaySpan = z.infer<typeof DaySpan>;

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** Hours that begin on these days; `to` at or before `from` is on the next day. */
export const WorkingSpan = z.strictObject({ days: z.array(z.enum(WEEKDAYS)).min(1), from: WallClock, to: WallClock });
export type WorkingSpan = z.infer<typeof WorkingSpan>;

export const Policy = z.strictObject({
  /** Start-to-close of one attempt of a tick. */
  tickTimeout: Duration.default('5m'),
  /** Wake-ups that fail in a row before the run is removed (three: the practice of the systems we replace). */
  maxConsecutiveFailures: z.int().min(1).max(100).default(3),
  /** When a failed wake-up is tried again, unless an event wakes the run first. */
  retryAfter: Duration.default('1h'),
  /** One burst of a customer is one wake-up: wait for `quiet` without a message, `max` at the most. 0s = at once. */
  debounce: z.strictObject({ quiet: Duration, max: Duration }).default({ quiet: '2s', max: '8s' }),
  /** The customer writes while a tick thinks: think again with everything (twice at most), or send all the same. */
  onOvertaken: z.enum(['rethink', 'send']).default('rethink'),
  /** A human writes in the conversation. */
  onHumanMessage: z.enum(['end', 'pause', 'ignore']).default('end'),
  /** An answering agent comes back, as a new run, once no human has written for this long. Absent: only by hand. */
  handBackAfter: Duration.refine((text) => (durationMs(text) ?? 0) >= 60_000, {
    error: 'must be 1m or more',
  }).optional(),
  /** How long a provider's outage may postpone a run before its wake-ups count as failed. */
  outageGrace: Duration.default('24h'),
  /** How long an effect is retried before it has failed for good. */
  effectRetry: Duration.default('24h'),
  /** A send whose fate cannot be known: leave it and tell the operator, or risk a double. */
  onUnknownSend: z.enum(['do_not_resend', 'resend']).default('do_not_resend'),
  /** Spread of the first wake-up of a polling agent, seeded by the run's id. */
  jitter: Duration.default('0s'),
  /** A tick that begins this much after it was due is logged, and counted in `attache_ticks_late_total`. */
  lagAlert: Duration.default('60s'),
  /** Ends the run with `tick_cap`. */
  maxTicks: z.int().min(1).optional(),
  /** Ends the run with `message_cap`: messages this run has sent. */
  maxMessages: z.int().min(1).max(1_000).default(50),
  /** US dollars a run may spend on models. Kept by itself for now: no agent calls a model yet. */
  budgetUsd: z.number().positive().max(1_000_000).optional(),
  /** Proactive sends wait these hours out, in the contact's zone (else the tenant's). */
  quietHours: DaySpan.nullable().default({ from: '21:00', to: '08:00' }),
  /** Proactive sends wait for these hours, in the contact's zone. Null: any hour that is not quiet. */
  workingHours: z.array(WorkingSpan).min(1).max(50).nullable().default(null),
  /** Proactive sends leave out the public and bank holidays of `country`, else the contact's, else the tenant's. */
  holidays: z.enum(['observe', 'ignore']).default('ignore'),
  /** Whose holidays, whatever the contact's and the tenant's country. */
  country: Country.optional(),
  /** Sends to one person, over all agents, in any 24 hours that are proactive. */
  proactivePerDay: z.int().min(0).max(100).default(3),
  /** Sends in one conversation in any minute: two robots answering each other stop here. */
  sendsPerMinute: z.int().min(1).max(600).default(10),
  /** Overrides the contact's and the tenant's zone. */
  timeZone: TimeZone.optional(),
  /** Of the investigations it opens: who decides and until when. */
  investigation: InvestigationPolicyInput.default({}),
});
/** Resolved: every default filled in. */
export type Policy = z.infer<typeof Policy>;
/** As an author or an operator writes it. */
export type PolicyInput = z.input<typeof Policy>;
/** What a tenant has otherwise than its agent. */
export const PolicyOverride = Policy.partial();

/** Later inputs win, field by field, and so within `investigation`; what none names gets the default. @throws {z.ZodError} */
export function resolvePolicy(...inputs: readonly PolicyInput[]): Policy {
  const investigation: unknown = Object.assign({}, ...inputs.map((input) => input.investigation));
  return Policy.parse(Object.assign({}, ...inputs, { investigation }));
}

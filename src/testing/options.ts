/** What a rehearsal is told, and held against the schemas of the real thing. */
import type { Agent } from '../agents/define-agent.ts';
import { InvalidInputError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import { problemsOf } from '../domain/schemas/issues.ts';
import { Policy, type PolicyInput } from '../domain/schemas/policy.ts';
import { Instant, TimeZone } from '../domain/schemas/values.ts';
import type { ErpReads } from '../erp/erp.ts';
import type { EndReason, RunStatus } from '../domain/statuses.ts';

export interface RehearsalOptions {
  /** As an operator writes it; the agent's defaults fill the rest. */
  readonly config?: unknown;
  /** Null: nobody is known to write to yet. Default: somebody without a name. */
  readonly contact?: { readonly name?: string; readonly locale?: string; readonly timeZone?: string } | null;
  /** When it is attached, ISO-8601 UTC. */
  readonly at: string;
  /** The tenant's zone, an IANA name; the contact's own goes first. Default UTC. */
  readonly timeZone?: string;
  readonly tenantName?: string;
  /** Over the agent's own policy. */
  readonly policy?: PolicyInput;
  /** Free text only for 24 hours after the customer's last message, as on WhatsApp. Default false. */
  readonly hasServiceWindow?: boolean;
  /** What there is to read of files, by their `mediaId`. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
  /** What an agent with `erp: true` looks at. */
  readonly erp?: ErpReads;
  /** Messages that are in the conversation, unanswered, when the agent is attached. */
  readonly unanswered?: readonly string[];
}

export interface RehearsedRun {
  readonly status: RunStatus;
  readonly reason: EndReason | null;
  readonly comment: string | null;
  /** Null once ended. */
  readonly nextRunAt: string | null;
  readonly nextRunWhy: string | null;
  readonly state: JsonObject;
  readonly ticks: number;
}

/** The config as the agent's ticks get it, and its policy. @throws {InvalidInputError} naming every option that does not fit. */
export function checkedOptions(agent: Agent, options: RehearsalOptions): { config: JsonObject; policy: Policy } {
  const config = agent.config.safeParse(options.config ?? {});
  const policy = Policy.safeParse({ ...agent.policy, ...options.policy });
  const checks: [string, { readonly error?: Parameters<typeof problemsOf>[0] | undefined }][] = [
    ['at', Instant.safeParse(options.at)],
    ['config', config],
    ['policy', policy],
    ['timeZone', TimeZone.optional().safeParse(options.timeZone)],
    ['contact.timeZone', TimeZone.optional().safeParse(options.contact?.timeZone)],
  ];
  const problems = checks.flatMap(([name, { error }]) => (error === undefined ? [] : problemsOf(error, name)));
  if (problems.length > 0 || !config.success || !policy.success) throw new InvalidInputError(problems);
  return { config: config.data as JsonObject, policy: policy.data };
}

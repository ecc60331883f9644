/** What a tick may look at: read-only, and read from the desk when asked for. */
import type {
  Agent,
  ConversationView,
  FileInfo,
  HumanStretch,
  Tick,
  TranscriptMessage,
} from '../agents/define-agent.ts';
import type { ConversationRecord, FileRef, MessageRecord } from '../desk/desk.ts';
import { conversationOf } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import { SERVICE_WINDOW_MS } from '../domain/may-send.ts';
import type { TickInput } from '../workflows/activity-types.ts';
import type { PreparedAgent } from '../workflows/run-data.ts';
import type { ErpReads } from '../erp/erp.ts';
import { readsUntil } from '../erp/reads.ts';
import type { ActivityDeps, TenantSettings } from './deps.ts';
import { UnknownAgentError } from './failures.ts';
import { fromDesk } from './desk-outage.ts';
import { mediaReader } from './read-media.ts';

const DEFAULT_MESSAGES = 50;
const MOST_MESSAGES = 500;
const STRETCH_MESSAGES = 100;
/** A run ends this long, at most, after the human's message that ended it was written. */
const COMING_IN_MS = 60_000;

export interface Looking {
  readonly input: TickInput;
  readonly agent: Agent;
  /** As the agent's own version has it. */
  readonly prepared: PreparedAgent;
  readonly conversation: ConversationRecord | null;
  readonly tenant: TenantSettings;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Everything an agent's tick is given. @throws {ProviderOutageError} when the desk cannot be read. */
export async function tickView(deps: ActivityDeps, of: Looking): Promise<Tick<JsonObject, JsonObject>> {
  const { input, agent, tenant, signal } = of;
  const { run } = input;
  const events =
    input.events.length === 0 ? [] : await fromDesk(deps.desk.events.load(input.events.map(({ id }) => id)));
  return {
    config: of.prepared.config,
    state: stateFor(agent, input),
    events,
    conversation: conversationView(deps, of),
    erp: erpFor(deps, of),
    tenant: { id: tenant.id, name: tenant.name, timeZone: tenant.timeZone },
    now: new Date(of.now).toISOString(),
    dueAt: input.dueAt,
    tick: input.tick,
    why: input.why,
    pendingEffects: input.pendingEffects,
    failedEffects: input.failedEffects,
    humanStretch: await humanStretch(deps, input),
    signal,
    log: {
      info: (message, fields) => deps.log.info({ ...fields, run: run.workflowId, tick: input.tick }, message),
      warn: (message, fields) => deps.log.warn({ ...fields, run: run.workflowId, tick: input.tick }, message),
    },
  };
}

/** @throws {UnknownAgentError} where another worker's configuration may name the ERP that this one's does not. */
function erpFor(deps: ActivityDeps, { agent, tenant, signal }: Looking): ErpReads | null {
  if (!agent.erp) return null;
  const erp = deps.erps.of(tenant.id);
  if (erp === undefined)
    throw new UnknownAgentError(
      `tenants.${tenant.id}.erp is not in this worker's configuration, and ${agent.key} reads the tenant's ERP: add it, or detach the run`,
    );
  return readsUntil(erp, signal);
}

function conversationView(
  deps: ActivityDeps,
  { input, prepared, conversation: record, tenant, signal }: Looking,
): ConversationView | null {
  const id = conversationOf(input.run.subject);
  if (id === undefined) return null;
  const contact = record?.contact ?? null;
  const channel = record?.channel == null ? undefined : deps.channels.get(input.run.tenant, record.channel);
  const lastInboundAt = record?.lastInboundAt ?? null;
  return {
    id,
    owner: record?.owner ?? 'agent',
    closed: record?.closedAt != null,
    contact:
      contact === null
        ? null
        : {
            ...{ name: contact.name, locale: contact.locale },
            ...{ optedOut: contact.optedOutAt !== null, marketingStopped: contact.marketingStoppedAt !== null },
          },
    timeZone: zoneOf(prepared.policy, contact, tenant),
    lastInboundAt,
    lastOutboundAt: record?.lastOutboundAt ?? null,
    windowUntil:
      channel?.hasServiceWindow === true && lastInboundAt !== null
        ? new Date(Date.parse(lastInboundAt) + SERVICE_WINDOW_MS).toISOString()
        : null,
    messages: async ({ limit = DEFAULT_MESSAGES } = {}) => {
      const page = await fromDesk(
        deps.desk.conversations.messages({
          tenant: input.run.tenant,
          conversation: id,
          limit: Math.min(limit, MOST_MESSAGES),
        }),
      );
      return page.items.map(transcriptMessage);
    },
    media: mediaReader(deps, { tenant: input.run.tenant, id, conversation: record, channel, signal }),
  };
}

/**
 * The state as this version of the agent has it. One that its migration does not bring along is the deploy's fault, not
 * the run's: tried again until a version that can is there, so that no mistake removes every sleeper.
 * @throws {UnknownAgentError} @throws {z.ZodError} when the same version refuses its own state.
 */
function stateFor(agent: Agent, { agent: { version }, state }: TickInput): JsonObject {
  if (version === agent.version) return agent.state.parse(state) as JsonObject;
  try {
    return agent.state.parse(agent.migrate({ version, state })) as JsonObject;
  } catch {
    throw unreadable(agent, `a state of version ${version}`, 'deploy one that can, by a `migrate` in the agent');
  }
}

export function unreadable(agent: Agent, what: string, remedy: string): UnknownAgentError {
  return new UnknownAgentError(`${agent.key} ${agent.version} cannot read ${what}: ${remedy}`);
}

async function humanStretch(deps: ActivityDeps, { run, handedBack }: TickInput): Promise<HumanStretch | null> {
  const conversation = conversationOf(run.subject);
  if (handedBack === undefined || conversation === undefined) return null;
  const { from, to, note } = handedBack;
  const query = { tenant: run.tenant, conversation, limit: STRETCH_MESSAGES };
  const { items } = await fromDesk(deps.desk.conversations.messages(query));
  // The message by which a human came in is told in whole seconds, and is part of the stretch.
  const since = new Date(Math.floor(Date.parse(from) / 1_000) * 1_000 - COMING_IN_MS).toISOString();
  const inIt = items.filter(({ at, author }) => at <= to && (at >= from || (author === 'human' && at >= since)));
  return { from, to, note, messages: inIt.map(transcriptMessage) };
}

/** The policy's zone, else the contact's, else the tenant's. */
export function zoneOf(
  policy: { readonly timeZone?: string | undefined },
  contact: { readonly timeZone: string | null } | null,
  tenant: TenantSettings,
): string {
  return policy.timeZone ?? contact?.timeZone ?? tenant.timeZone;
}

function transcriptMessage(message: MessageRecord): TranscriptMessage {
  const { id, direction, author, kind, text, at, status } = message;
  const media = message.media && { ...fileInfo(message.media), more: (message.media.more ?? []).map(fileInfo) };
  return { id, direction, author, kind, text, media, at, status, private: message.private };
}

function fileInfo({ kind, mimeType, fileName }: FileRef): FileInfo {
  return { kind, mimeType, fileName };
}

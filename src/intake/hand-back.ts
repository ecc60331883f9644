/**
 * Gives a conversation that a human holds back to its agent: as a new run, which is told what the human stretch was. By
 * hand, or after a silence of the human's where the policy says so. A human who writes meanwhile keeps the conversation:
 * the run is attached as of an instant, and every human fact since then speaks against it.
 */
import type { RunClient } from '../client.ts';
import type { Desk, RunRecord } from '../desk/desk.ts';
import { ms } from '../domain/durations.ts';
import {
  ANSWERING_SLOT,
  conversationOf,
  conversationSubject,
  type AgentKey,
  type RunRef,
  type TenantId,
} from '../domain/ids.ts';
import { isEnding } from '../domain/statuses.ts';
import { StillClosingError } from './auto-attach.ts';
import type { IntakeDeps, LettingGo } from './deps.ts';

/** A human's message may reach us this long after it was written: an automatic hand-back still yields to it. */
const LATE_FACTS_MS = 10 * 60_000;
/** Providers tell whole seconds: the human's message that came before is no news to a run attached this much later. */
const NEXT_SECOND_MS = 1_001;
/** Conversations handed back per agent and round; the rest follow with the next. */
const BATCH = 50;

export interface HandBackDeps {
  readonly desk: Desk;
  /** Waits a while for a run that is ending. */
  readonly attach: RunClient['attach'];
  /** Agents that come back by themselves, with the silence they wait for (a duration). */
  readonly automatic: readonly { readonly tenant: TenantId; readonly agent: AgentKey; readonly after: string }[];
  readonly log: IntakeDeps['log'];
}

export interface HandBackRequest {
  readonly ref: RunRef;
  readonly by: string;
  readonly note: string | null;
  /** The attachment that is meant. */
  readonly id?: string | undefined;
}

export type HandedBackResult =
  | { readonly result: 'handed_back'; readonly run: RunRecord }
  | { readonly result: 'never_attached' | 'closed' | 'not_held' }
  | { readonly result: 'live' | 'ending' | 'another_attachment'; readonly run: RunRecord };

export interface HandBacks {
  /** @throws when Temporal or the desk does not answer. */
  readonly handBack: (request: HandBackRequest) => Promise<HandedBackResult>;
  /**
   * The inbox says since `at` that an agent shall have it: the one that a human had relieved comes back. Nothing where there
   * was none, or where a human came in since. @throws when Temporal or the desk does not answer.
   */
  readonly letGo: (request: LettingGo) => Promise<void>;
  /** Hands back what has been silent long enough; answers how many. */
  readonly round: (now?: number) => Promise<number>;
}

export function createHandBacks(deps: HandBackDeps): HandBacks {
  const { desk, log } = deps;

  async function handBack(request: HandBackRequest, attachedAt: string): Promise<HandedBackResult> {
    const { ref, id } = request;
    const conversationId = conversationOf(ref.subject);
    const run = await desk.runs.get(ref);
    if (run === null || conversationId === undefined) return { result: 'never_attached' };
    if (id !== undefined && id !== run.id) return { result: 'another_attachment', run };
    if (run.endedAt === null) return { result: 'live', run };
    const conversation = await desk.conversations.get(ref.tenant, conversationId);
    if (conversation?.owner !== 'human') return { result: conversation?.closedAt == null ? 'not_held' : 'closed' };
    if (conversation.closedAt !== null) return { result: 'closed' };
    return begin({ request, run, from: run.endedAt, attachedAt });
  }

  async function letGo({ tenant, subject, by, at }: LettingGo): Promise<void> {
    const ref = { tenant, subject, slot: ANSWERING_SLOT };
    const id = conversationOf(subject);
    const run = await desk.runs.get(ref);
    const conversation = id === undefined ? null : await desk.conversations.get(tenant, id);
    if (run?.endedAt == null || conversation === null || conversation.closedAt !== null) return;
    const wasRelieved =
      run.status === 'EXITED_ON_OUTBOUND' && (run.reason === 'human_replied' || run.reason === 'taken_over');
    if (!wasRelieved || run.attachedAt > at || (conversation.owner === 'human' && conversation.ownerSince > at)) return;
    const lastHumanAt = Date.parse(conversation.lastHumanOutboundAt ?? run.endedAt);
    const attachedAt = new Date(Math.max(Date.parse(at), lastHumanAt + NEXT_SECOND_MS)).toISOString();
    const request = { ref, by, note: null };
    const { result } = await begin({ request, run, from: run.endedAt, attachedAt });
    if (result === 'ending') throw new StillClosingError(`${run.workflowId} is closing`);
    log.info({ tenant, subject, result }, 'a conversation was given back in the inbox');
  }

  async function begin({
    request: { ref, by, note },
    run,
    from,
    attachedAt,
  }: {
    request: HandBackRequest;
    run: RunRecord;
    from: string;
    attachedAt: string;
  }): Promise<HandedBackResult> {
    const { tenant, subject, slot } = ref;
    const attached = await deps.attach({
      ...{ tenant, subject, slot, agent: run.agent, config: run.config, actor: by, attachedAt },
      topics: run.topics,
      ...(note === null ? {} : { comment: note }),
      handedBack: { from, to: attachedAt, note, previous: run.id },
    });
    const { config, topics = [] } = run;
    const begun: RunRecord = { ...attached.run, config, topics, state: {}, policy: null };
    if (!attached.attached) return { result: isEnding(attached.run) ? 'ending' : 'live', run: begun };
    await desk.runs.insertIfAbsent(begun, 'handback');
    return { result: 'handed_back', run: begun };
  }

  async function handBackSilent({ tenant, agent, after }: HandBackDeps['automatic'][number], now: number) {
    const silentSince = new Date(now - ms(after)).toISOString();
    const held = await desk.conversations.heldInSilence({ tenant, agent, silentSince, limit: BATCH });
    let count = 0;
    for (const { id, lastHumanAt } of held) {
      const since = Math.max(now - LATE_FACTS_MS, Date.parse(lastHumanAt) + NEXT_SECOND_MS);
      const attachedAt = new Date(since).toISOString();
      const ref = { tenant, subject: conversationSubject(id), slot: ANSWERING_SLOT };
      const note = `no human wrote for ${after}`;
      const { result } = await handBack({ ref, by: 'system', note }, attachedAt);
      if (result === 'handed_back') count += 1;
      log.info({ tenant, conversation: id, agent, result }, 'a conversation that was silent for long: hand-back');
    }
    return count;
  }

  return {
    letGo,
    handBack: async (request) => handBack(request, new Date().toISOString()),
    async round(now = Date.now()) {
      let count = 0;
      for (const one of deps.automatic) count += await handBackSilent(one, now);
      return count;
    },
  };
}

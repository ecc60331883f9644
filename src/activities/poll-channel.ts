/**
 * Stores what a channel says has happened and no webhook brought. The keys are the webhooks' own, so what came is known, and
 * what comes late is a duplicate. Delivering is left to the reconciler, as with all that is stored and not delivered.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Channels } from '../channels/registry.ts';
import type { Desk } from '../desk/desk.ts';
import type { Subject } from '../domain/ids.ts';
import type { ChannelPolled, PollActivities, PollInput } from '../workflows/channel-poll-types.ts';
import type { Log } from '../telemetry/logger.ts';
import { isNews } from './poll-news.ts';

/** Clocks differ, and a fact may show in the provider's list a moment after it happened: each poll reaches back over its seam. */
const SEAM_MS = 60_000;
/** The first time: what a start of ours may have missed. Older history is nobody's business: attaching sweeps none of it. */
const FIRST_LOOK_MS = 10 * 60_000;
/** After an outage of ours; what is older a person has seen to, or nobody will. */
const LONGEST_LOOK_MS = 24 * 3_600_000;

export interface PollDeps {
  readonly desk: Pick<Desk, 'intake' | 'conversations' | 'events' | 'polls'>;
  readonly channels: Pick<Channels, 'get'>;
  readonly log: Log;
  readonly clock: () => number;
}

export function createPollActivities(deps: PollDeps): PollActivities {
  return { pollChannel: async (input) => pollChannel(deps, input) };
}

/** @throws {ChannelError} @throws {ApplicationFailure} where the configuration has no such channel any more. */
async function pollChannel(deps: PollDeps, { tenant, channel: key }: PollInput): Promise<ChannelPolled> {
  const { desk, log } = deps;
  const context = Context.current();
  const channel = deps.channels.get(tenant, key);
  if (channel?.recent === undefined)
    throw ApplicationFailure.nonRetryable(`${key} is no channel of ${tenant} that can be asked`);
  const now = deps.clock();
  const since = await desk.polls.askedUntil({ tenant, channel: key });
  const from = since === null ? now - FIRST_LOOK_MS : Date.parse(since) - SEAM_MS;
  const until = new Date(now).toISOString();
  const query = {
    ...{ tenant, until, since: new Date(Math.max(from, now - LONGEST_LOOK_MS)).toISOString() },
    memory: {
      of: (subject: Subject) => desk.polls.noted({ tenant, channel: key, subject }),
      keep: (subject: Subject, note: string) => desk.polls.note({ tenant, channel: key, subject, note }),
    },
    signal: context.cancellationSignal,
  };
  let found = 0;
  for await (const item of channel.recent(query)) {
    context.heartbeat();
    if (!(await isNews(desk, item, query.since))) continue;
    const { result } = await desk.intake.store(item);
    if (result === 'accepted') found += 1;
  }
  if (found > 0) log.warn({ tenant, channel: key, found }, 'webhooks were missed; what they would have told is stored');
  await desk.polls.recordAsked({ tenant, channel: key, until });
  return { until, found };
}

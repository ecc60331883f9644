/** Effects performed over a real desk: a run that permits everything, a channel that keeps what it is given. */
import { DefaultLogger } from '@temporalio/worker';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { ActivityDeps } from '../../src/activities/deps.ts';
import { perform } from '../../src/activities/perform.ts';
import type { Channel, OutgoingMessage } from '../../src/channels/channel.ts';
import type { Desk, RunRecord } from '../../src/desk/desk.ts';
import type { AttachmentId, EffectKey, WorkflowId } from '../../src/domain/ids.ts';
import { effectKey } from '../../src/domain/ids.ts';
import { Effect, type EffectInput } from '../../src/domain/schemas/effects.ts';
import { resolvePolicy, type PolicyInput } from '../../src/domain/schemas/policy.ts';
import type { Performed } from '../../src/workflows/activity-types.ts';
import { activityDeps } from './given.ts';

export interface Performer {
  readonly sent: OutgoingMessage[];
  /** What the activities are given: a test changes what it is about. */
  readonly deps: ActivityDeps;
  /** One perform of the `n`th effect of this run. */
  readonly perform: (of: {
    run: RunRecord;
    effect: EffectInput;
    policy?: PolicyInput;
    n?: number;
  }) => Promise<Performed>;
}

/** @param now the clock of the activities, ISO-8601 UTC. */
export function performer(
  desk: Desk,
  { now, channel = {}, country }: { now: string; channel?: Partial<Channel>; country?: string },
): Performer {
  const sent: OutgoingMessage[] = [];
  const whatsapp: Channel = {
    kind: 'whatsapp',
    key: 'whatsapp:100',
    hasServiceWindow: true,
    sendsPerSecond: 80,
    send: async (message) => ({ providerId: `wamid.${sent.push(message)}` }),
    findSent: async () => ({ found: 'cannot_know' }),
    ...channel,
  };
  const deps = activityDeps(desk, {
    channels: { get: (_, key) => (key === whatsapp.key ? whatsapp : undefined) },
    tenant: (id) => ({ id, name: id, timeZone: 'UTC', country, policies: {} }),
    holidays: { between: async (place) => (place === 'BR' ? ['2026-11-30'] : []) },
    clock: () => Date.parse(now),
  });
  return {
    sent,
    deps,
    async perform({ run, effect, policy = {}, n = 0 }) {
      const workflowId = run.workflowId as WorkflowId;
      const attachment = run.id as AttachmentId;
      const { tenant, subject, slot, agent, attachedAt } = run;
      const key: EffectKey = effectKey({ workflowId, attachment, tick: 1, n });
      const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
      return environment.run<[], Performed, () => Promise<Performed>>(async () =>
        perform(deps, {
          run: { workflowId, attachment, attachedAt, tenant, subject, slot, agent },
          policy: resolvePolicy({ quietHours: null }, policy),
          key,
          effect: Effect.parse(effect),
          since: now,
          performs: 0,
        }),
      );
    },
  };
}

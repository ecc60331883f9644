/** Writes what is to be told into the outbox, in the transaction of the fact itself: told if and only if it happened. */
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Subject, TenantId } from '../../domain/ids.ts';
import type { Notice } from '../../domain/schemas/notices.ts';
import type { WebhookType } from '../../domain/webhooks.ts';
import type { Db } from '../database/database.ts';
import type { Subscribers } from '../ports/outbox.ts';
import { webhookDeliveries, webhookEndpointsOff } from './schema.ts';

export interface Fact {
  readonly type: WebhookType;
  /** Names what happened: written twice, it is told once. */
  readonly key: string;
  readonly tenant: TenantId;
  readonly subject: Subject;
  readonly time: string;
  readonly data: Notice['data'];
}

export type Announce = (tx: Db, facts: readonly Fact[]) => Promise<void>;

export function createAnnounce(subscribers: Subscribers): Announce {
  return async (tx, facts) => {
    const rows = facts.flatMap((fact) =>
      subscribers(fact.tenant, fact.type).map((endpoint) => rowOf(fact, endpoint, randomUUID())),
    );
    if (rows.length > 0) await tx.insert(webhookDeliveries).values(rows).onConflictDoNothing();
  };
}

function rowOf({ type, key, tenant, subject, time, data }: Fact, endpoint: string, id: string) {
  const notice: Notice = {
    specversion: '1.0',
    id,
    source: `/attache/${tenant}`,
    type,
    subject,
    tenant,
    time,
    timestamp: time,
    datacontenttype: 'application/json',
    data,
  };
  return {
    ...{ id, tenant, endpoint, type, subject },
    fact: `${type}:${key}`,
    body: JSON.stringify(notice),
    state: sql<'held' | 'pending'>`case when exists (
      select 1 from ${webhookEndpointsOff} where ${webhookEndpointsOff.tenant} = ${tenant} and ${webhookEndpointsOff.endpoint} = ${endpoint}
    ) then 'held' else 'pending' end`,
  };
}

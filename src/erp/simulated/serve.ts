/** One request of the contract put to an ERP, well or, with a breach, as servers get it wrong. */
import { randomUUID } from 'node:crypto';
import type { AnyRecord } from '../../domain/schemas/erp-writes.ts';
import type { ErpKind, ErpRecord } from '../../domain/schemas/erp-records.ts';
import type { Erp } from '../erp.ts';
import type { Operation, OPERATIONS } from '../remote/contract.ts';
import type { z } from 'zod';

/**
 * `forgetsKeys`: the same key twice is two; `ignoresPreconditions`; `trustsAnybody`: any token; `findsNothing`: no write is
 * found by its key; `restartsCursors`: a cursor begins again from the start.
 */
export type Breach = 'forgetsKeys' | 'ignoresPreconditions' | 'trustsAnybody' | 'findsNothing' | 'restartsCursors';

type Asked = { [Op in Operation]: z.output<(typeof OPERATIONS)[Op]['request']> };

export async function serve(
  erp: Erp,
  operation: Operation,
  body: Asked[Operation],
  breaches: readonly Breach[],
): Promise<unknown> {
  const has = (breach: Breach): boolean => breaches.includes(breach);
  switch (operation) {
    case 'list': {
      const { kind, limit, where, cursor } = body as Asked['list'];
      const from = has('restartsCursors') ? undefined : cursor;
      const page = await erp.list(kind, { limit, where, cursor: from });
      return { ...page, items: page.items.map((record) => named(kind, record)) };
    }
    case 'get': {
      const { kind, id } = body as Asked['get'];
      const record = await erp.get(kind, id);
      return { found: record === undefined ? null : named(kind, record) };
    }
    case 'demand':
      return { items: await erp.demand(body as Asked['demand']) };
    case 'write': {
      const { command, idempotencyKey, precondition } = body as Asked['write'];
      return erp.write(command, {
        idempotencyKey: has('forgetsKeys') ? randomUUID() : idempotencyKey,
        precondition: has('ignoresPreconditions') ? [] : precondition,
      });
    }
    case 'findByKey': {
      const { idempotencyKey } = body as Asked['findByKey'];
      return { found: has('findsNothing') ? null : ((await erp.findByKey(idempotencyKey)) ?? null) };
    }
    case 'changes':
      return erp.changes(body as Asked['changes']);
  }
}

function named(kind: ErpKind, record: ErpRecord): AnyRecord {
  return { kind, record } as AnyRecord;
}

/**
 * What a server has to understand to be a tenant's ERP: six POSTs with a JSON object each. `docs/erp.openapi.json` is made
 * from this file.
 */
import { z } from 'zod';
import { ErpId, ErpKindSchema, LocalDate } from '../../domain/schemas/erp-records.ts';
import {
  AnyRecord,
  ErpCommand,
  IdempotencyKey,
  RecordVersion,
  REFUSALS_OF_WRITES,
} from '../../domain/schemas/erp-writes.ts';
import { Instant } from '../../domain/schemas/values.ts';

/** Whose ERP it is, as `attache.config.json` names the tenant. */
const tenant = z.string();
const cursor = z.string().min(1).max(500);
const limit = z.int().min(1).max(500);

const page = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), nextCursor: cursor, hasMore: z.boolean() });

const ListRequest = z.object({
  tenant,
  kind: ErpKindSchema,
  cursor: cursor.optional(),
  limit,
  /** Field and value: equality, all of them together. */
  where: z.record(z.string(), z.string()).default({}),
});
const GetRequest = z.object({ tenant, kind: ErpKindSchema, id: ErpId });
const DemandRequest = z.object({
  tenant,
  productIds: z.array(ErpId).min(1).max(100),
  from: LocalDate,
  to: LocalDate,
});
const WriteRequest = z.object({
  tenant,
  idempotencyKey: IdempotencyKey,
  precondition: z.array(RecordVersion).max(20),
  command: ErpCommand,
});
const FindRequest = z.object({ tenant, idempotencyKey: IdempotencyKey });
/** `cursor: null` asks for the cursor of now. */
const ChangesRequest = z.object({ tenant, cursor: cursor.nullable(), limit });

const Done = z.object({ outcome: z.literal('done'), result: AnyRecord });
const Answer = z.discriminatedUnion('outcome', [
  Done,
  z.object({
    outcome: z.literal('stale'),
    changed: z.array(z.object({ expected: RecordVersion, now: AnyRecord.nullable() })).min(1),
  }),
  z.object({ outcome: z.literal('not_found'), kind: ErpKindSchema, id: z.string() }),
  z.object({
    outcome: z.literal('refused'),
    // A word of a later version is a reason all the same.
    reason: z.enum(REFUSALS_OF_WRITES).catch('other'),
    detail: z.string(),
  }),
]);

export const OPERATIONS = {
  list: {
    path: '/records/list',
    request: ListRequest,
    answer: page(AnyRecord),
    summary: 'Records of one kind in the order of their last change, from a cursor on',
  },
  get: {
    path: '/records/get',
    request: GetRequest,
    /** Null: there is none. */
    answer: z.object({ found: AnyRecord.nullable() }),
    summary: 'One record',
  },
  demand: {
    path: '/demand',
    request: DemandRequest,
    answer: z.object({
      items: z.array(
        z.object({
          productId: ErpId,
          days: z.array(z.object({ on: LocalDate, quantity: z.int().min(0) })),
        }),
      ),
    }),
    summary: 'Units that customers ordered, per product and business day',
  },
  write: {
    path: '/writes',
    request: WriteRequest,
    answer: Answer,
    summary: 'Do one thing, once for each key, if what was read is still so',
  },
  findByKey: {
    path: '/writes/find',
    request: FindRequest,
    /** Null: nothing was done under the key, and nothing is still on its way. */
    answer: z.object({ found: Done.nullable() }),
    summary: 'What was done under a key',
  },
  changes: {
    path: '/changes',
    request: ChangesRequest,
    answer: page(z.object({ kind: ErpKindSchema, id: ErpId, version: z.string().min(1).max(100), at: Instant })),
    summary: 'Which records changed since a cursor, all kinds together',
  },
} as const;
export type Operation = keyof typeof OPERATIONS;
export type RequestOf<Op extends Operation> = z.input<(typeof OPERATIONS)[Op]['request']>;
export type AnswerOf<Op extends Operation> = z.infer<(typeof OPERATIONS)[Op]['answer']>;

/** What a refusal says; `code` decides, `detail` is for people. */
export const ErpProblem = z.object({
  code: z.enum(['unauthorized', 'invalid', 'rate_limited', 'nothing_done', 'internal']),
  detail: z.string(),
});

/** Which status carries which refusal. */
export const REFUSALS = {
  400: 'The body is no JSON or does not fit, or the cursor is none of this list’s: `invalid`.',
  401: 'The token is not the one of this tenant: `unauthorized`.',
  429: 'Later: `rate_limited`, with `Retry-After` in seconds. Nothing was done.',
  503: 'Nothing was done, and it may be asked again: `nothing_done`. Without this code, nobody knows of a write: the same key is sent again.',
} as const;

/** An ERP of our own: what the demo runs on, and what others are measured against. */
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { type InputProblem, InvalidInputError } from '../../domain/errors.ts';
import { ERP_FILTERS, type ErpKind, type ErpRecord } from '../../domain/schemas/erp-records.ts';
import { problemsOf } from '../../domain/schemas/issues.ts';
import {
  ErpCommand,
  IdempotencyKey,
  type ErpAnswer,
  type RecordVersion,
  type StaleRecord,
} from '../../domain/schemas/erp-writes.ts';
import type { Erp, ErpPage } from '../erp.ts';
import type { Books, Turn } from './books.ts';
import { carryOut, NotDone } from './commands.ts';

const MOST_ITEMS = 500;
const MOST_PRECONDITIONS = 20;

export function createDemoErp({
  books,
  clock = Date.now,
}: {
  readonly books: Books;
  readonly clock?: () => number;
}): Erp {
  return {
    async list(kind, { cursor, limit, where = {}, signal }) {
      signal?.throwIfAborted();
      checkFilter(kind, where);
      const after = readCursor(kind, cursor);
      const found = await books.list({ kind, after, limit: checkLimit(limit) + 1, where });
      if (found.length === 0) await checkReached(books, after);
      return pageOf({ kind, after, limit, found }, ({ record }) => record as ErpRecord<typeof kind>);
    },
    async get<Kind extends ErpKind>(kind: Kind, id: string) {
      return (await books.get(kind, id))?.record as ErpRecord<Kind> | undefined;
    },
    demand: async ({ productIds, from, to }) => books.demand({ productIds, from, to }),
    async write(command, { idempotencyKey, precondition }) {
      checkWrite(command, idempotencyKey, precondition);
      try {
        return await books.inTurn(async (turn) => writeOnce(turn, { command, idempotencyKey, precondition, clock }));
      } catch (error) {
        if (error instanceof NotDone) return error.answer;
        throw error;
      }
    },
    findByKey: async (key) => (await books.findWrite(key))?.done,
    async changes({ cursor, limit }) {
      if (cursor === null) return { items: [], nextCursor: writeCursor('any', await books.head()), hasMore: false };
      const after = readCursor('any', cursor);
      const found = await books.list({ kind: undefined, after, limit: checkLimit(limit) + 1, where: {} });
      if (found.length === 0) await checkReached(books, after);
      return pageOf({ kind: 'any', after, limit, found }, ({ kind, record }) => ({
        kind,
        id: record.id,
        version: record.version,
        at: record.changedAt,
      }));
    },
  };
}

async function writeOnce(
  turn: Turn,
  write: {
    readonly command: ErpCommand;
    readonly idempotencyKey: string;
    readonly precondition: readonly RecordVersion[];
    readonly clock: () => number;
  },
): Promise<ErpAnswer> {
  const fingerprint = createHash('sha256')
    .update(JSON.stringify(ErpCommand.parse(write.command)))
    .digest('base64url');
  const earlier = await turn.findWrite(write.idempotencyKey);
  if (earlier !== undefined && earlier.fingerprint !== fingerprint)
    return { outcome: 'refused', reason: 'key_reused', detail: 'the key stands for another command' };
  if (earlier !== undefined) return earlier.done;
  const changed: StaleRecord[] = [];
  for (const expected of write.precondition) {
    const now = (await turn.get(expected.kind, expected.id)) ?? null;
    if (now?.record.version !== expected.version) changed.push({ expected, now });
  }
  if (changed.length > 0) return { outcome: 'stale', changed };
  const result = await carryOut(turn, write.command, new Date(write.clock()).toISOString());
  const done = { outcome: 'done', result } as const;
  await turn.keep(write.idempotencyKey, { fingerprint, done });
  return done;
}

function pageOf<Item, Kept extends { readonly seq: number }>(
  { kind, after, limit, found }: { kind: string; after: number; limit: number; found: readonly Kept[] },
  toItem: (kept: Kept) => Item,
): ErpPage<Item> {
  const shown = found.slice(0, limit);
  return {
    items: shown.map(toItem),
    nextCursor: writeCursor(kind, shown.at(-1)?.seq ?? after),
    hasMore: found.length > limit,
  };
}

/** Opaque to callers; to us the kind it is for and the last change that was told. */
function writeCursor(kind: string, seq: number): string {
  return Buffer.from(`${kind}:${seq}`).toString('base64url');
}

function readCursor(kind: string, cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [of, seq] = Buffer.from(cursor, 'base64url').toString().split(':');
  if (of !== kind || seq === undefined || !/^\d{1,15}$/.test(seq)) throw noCursor();
  return Number(seq);
}

/** One from beyond the last change is of other books: of before these were set back. It would hide all that changes until then. */
async function checkReached(books: Books, after: number): Promise<void> {
  if (after > 0 && after > (await books.head())) throw noCursor();
}

function noCursor(): InvalidInputError {
  return new InvalidInputError([{ path: 'cursor', message: 'must be the nextCursor of an earlier page of this list' }]);
}

function checkLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST_ITEMS) return limit;
  throw new InvalidInputError([{ path: 'limit', message: `must be 1 to ${MOST_ITEMS}` }]);
}

function checkFilter(kind: ErpKind, where: object): void {
  const known: readonly string[] = ERP_FILTERS[kind];
  const unknown = Object.keys(where).find((field) => !known.includes(field));
  if (unknown !== undefined)
    throw new InvalidInputError([
      { path: `where.${unknown}`, message: `a ${kind} can be looked for by ${known.join(', ') || 'nothing'}` },
    ]);
}

function checkWrite(command: ErpCommand, key: string, precondition: readonly RecordVersion[]): void {
  const problems = [
    ...problemsIn(ErpCommand.safeParse(command), 'command'),
    ...problemsIn(IdempotencyKey.safeParse(key), 'idempotencyKey'),
  ];
  if (precondition.length > MOST_PRECONDITIONS)
    problems.push({ path: 'precondition', message: `must name at most ${MOST_PRECONDITIONS} records` });
  if (problems.length > 0) throw new InvalidInputError(problems);
}

function problemsIn({ error }: z.ZodSafeParseResult<unknown>, path: string): InputProblem[] {
  return error === undefined ? [] : problemsOf(error, path);
}

/** Where a list goes on: opaque to callers, `[sort key, tie breaker]` to us. */
import { z } from 'zod';
import { InvalidInputError } from '../../domain/errors.ts';
import type { AttachmentId } from '../../domain/ids.ts';

/** Attachment ids hold no control characters, and a database refuses NUL. */
const attachment = z
  .string()
  .max(512)
  .regex(/^[\x20-\x7e]*$/);
const position = z.tuple([z.iso.datetime(), attachment]);
const placeInTranscript = z.tuple([z.iso.datetime(), z.int().min(0)]);
const placeInStretches = z.tuple([z.int().min(0).max(9), ...position.def.items]);
const order = z.int().min(0);

export function writeCursor(
  at: readonly [string, string | number] | readonly [number, string, string] | number | string,
): string {
  return Buffer.from(JSON.stringify(at)).toString('base64url');
}

/** @throws {InvalidInputError} at `cursor` when it is none of ours. */
export function readPosition(cursor: string): readonly [string, string] {
  return read(cursor, position);
}

/** In a list that is made of several: which, and where in it. @throws {InvalidInputError} at `cursor` when it is none of ours. */
export function readPlace(cursor: string): readonly [number, string, string] {
  return read(cursor, placeInStretches);
}

/** @throws {InvalidInputError} at `cursor` when it is none of ours. */
export function readPlaceInTranscript(cursor: string): readonly [string, number] {
  return read(cursor, placeInTranscript);
}

/** @throws {InvalidInputError} at `cursor` when it is none of ours. */
export function readAttachment(cursor: string): AttachmentId {
  return read(cursor, attachment) as AttachmentId;
}

/** @throws {InvalidInputError} at `cursor` when it is none of ours. */
export function readOrder(cursor: string): number {
  return read(cursor, order);
}

function read<Shape>(cursor: string, shape: z.ZodType<Shape>): Shape {
  const parsed = shape.safeParse(decoded(cursor));
  if (parsed.success) return parsed.data;
  throw new InvalidInputError([{ path: 'cursor', message: 'must be the nextCursor of an earlier page of this list' }]);
}

function decoded(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** A page out of `limit + 1` rows: the one too many says that there is more. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  cursorOf: (row: Row) => string,
): { items: Item[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(toItem), nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}

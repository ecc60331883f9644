/** Every call to Temporal has a deadline: without one, the SDK waits for ever. */
import { isGrpcServiceError, type Client } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { TemporalUnavailableError } from './errors.ts';

/** Deadlines in ms. A query is asked on the way to a fallback, so it is short; an update is a person waiting. */
export const DEADLINES = {
  start: 5_000,
  signal: 5_000,
  query: 1_000,
  update: 5_000,
  describe: 3_000,
  visibility: 5_000,
} as const;

export async function within<Result>(client: Client, ms: number, call: () => Promise<Result>): Promise<Result> {
  return client.withDeadline(Date.now() + ms, call);
}

/** @throws {TemporalUnavailableError} for any trouble of the service or of the way to it; other errors as they are. */
export async function reach<Result>(client: Client, ms: number, call: () => Promise<Result>): Promise<Result> {
  try {
    return await within(client, ms, call);
  } catch (error) {
    throw isServiceTrouble(error) ? new TemporalUnavailableError(error) : error;
  }
}

/** A gRPC error as such, or as the cause of the SDK's own. */
export function isServiceTrouble(error: unknown): boolean {
  if (isGrpcServiceError(error) || error instanceof NamespaceNotFoundError) return true;
  return error instanceof Error && (error.name === 'ServiceError' || isGrpcServiceError(error.cause));
}

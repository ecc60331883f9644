/** How a failing database shows itself to the rest of the system. */
import { DrizzleQueryError } from 'drizzle-orm';

/**
 * The database refused or could not be reached. Carries the driver's words and its code, but neither the query's values nor
 * the driver's error itself: both quote what customers wrote, and errors end up in logs and in Temporal's history.
 */
export class DeskError extends Error {
  override readonly name = 'DeskError';
  /** SQLSTATE, or a network code such as ECONNREFUSED. */
  readonly code: string | null;

  constructor({ message, code }: { message: string; code: string | null }) {
    super(`desk: ${message}`);
    this.code = code;
  }
}

/** The desk's database cannot be opened: nobody answers there, or will not have us. */
export class DatabaseUnreachableError extends Error {
  override readonly name = 'DatabaseUnreachableError';

  /** @param url its password is not shown. */
  constructor(url: string, cause: unknown) {
    const { host, pathname } = new URL(url);
    const why = cause instanceof Error ? cause.message : String(cause);
    super(
      `The database at ${host}${pathname} cannot be opened: ${why}. Start it there, make the database, or correct DATABASE_URL.`,
      { cause },
    );
  }
}

/** The database is there, and does not let our tables be made or changed: its role may not, most often. */
export class TablesRefusedError extends Error {
  override readonly name = 'TablesRefusedError';

  constructor(cause: DrizzleQueryError) {
    super(
      `The desk's tables cannot be brought up to date: ${cause.cause?.message ?? 'the database refuses'}. Where its role lacks a right, attache doctor says how to give it.`,
      { cause },
    );
  }
}

/** Another live process holds the embedded database; or this one, which opened it before. */
export class DeskLockedError extends Error {
  override readonly name = 'DeskLockedError';
  readonly pid: number;
  readonly directory: string;

  constructor({ pid, directory }: { pid: number; directory: string }) {
    super(
      `The desk in ${directory} is in use by process ${pid}. Stop that process (kill ${pid}), choose another ATTACHE_DATA_DIR, or set DATABASE_URL to share a PostgreSQL.`,
    );
    this.pid = pid;
    this.directory = directory;
  }
}

/** The same methods; what the database throws comes out of them as {@link DeskError}. */
export function withDeskErrors<Methods extends object>(methods: Methods): Methods {
  const guarded = Object.entries(methods).map(([name, method]) => [
    name,
    async (...parameters: unknown[]): Promise<unknown> => {
      try {
        return await (method as (...parameters: unknown[]) => unknown)(...parameters);
      } catch (error) {
        throw error instanceof DrizzleQueryError ? toDeskError(error) : error;
      }
    },
  ]);
  return Object.fromEntries(guarded) as Methods;
}

function toDeskError({ cause }: DrizzleQueryError): DeskError {
  const code = cause !== undefined && 'code' in cause && typeof cause.code === 'string' ? cause.code : null;
  return new DeskError({ message: cause?.message ?? 'the query failed', code });
}

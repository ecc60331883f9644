/** The demo ERP in the desk's database: set up by whoever asks it first, its failures told as those of every ERP. */
import { DrizzleQueryError } from 'drizzle-orm';
import { aroundCalls, type Around } from '../around.ts';
import type { Erp } from '../erp.ts';
import { ErpError } from '../erp-error.ts';
import { createDatabaseBooks, type DatabaseBooksOptions } from './database-books.ts';
import { createDemoErp } from './demo-erp.ts';
import { type BusinessSetup, openBusiness } from './open-business.ts';

export function createEmbeddedErp({
  today,
  setup,
  ...options
}: DatabaseBooksOptions & {
  /** The local ISO date. */
  readonly today: () => string;
  readonly setup: BusinessSetup;
}): Erp {
  let opening: Promise<void> | undefined;
  const open = async (): Promise<void> => {
    opening ??= openBusiness({ ...options, today: today(), setup });
    try {
      await opening;
    } catch (error) {
      // The next call tries again.
      opening = undefined;
      throw error;
    }
  };
  const around: Around = async ({ operation, signal }, go) => {
    let isOpen = false;
    try {
      await open();
      isOpen = true;
      if (signal?.aborted === true) throw outage('cancelled', 'the attempt was cancelled before the call');
      return await go();
    } catch (error) {
      if (!(error instanceof DrizzleQueryError)) throw error;
      const code = codeOf(error.cause);
      // The connection may have broken after the commit.
      throw operation === 'write' && isOpen
        ? new ErpError({ failure: 'unknown_fate', code, message: `the demo ERP's database failed (${code})` })
        : outage(code, `the demo ERP's database failed (${code})`);
    }
  };
  return aroundCalls(createDemoErp({ books: createDatabaseBooks(options), clock: options.clock }), around);
}

/** Neither the query nor its values: they quote people. */
function outage(code: string, message: string): ErpError {
  return new ErpError({ failure: 'outage', code, message });
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'unknown';
}

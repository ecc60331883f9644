/**
 * An ERP over HTTP, of a business that runs short, whose calls a test holds: so that their caller dies in the middle of one, and
 * what it asked for is done all the same, with nobody there to hear the answer.
 */
import { createDemoErp } from '../../src/erp/demo/demo-erp.ts';
import type { Erp } from '../../src/erp/erp.ts';
import type { Operation } from '../../src/erp/remote/contract.ts';
import { startErpServer, type ErpFault, type RunningErp } from '../../src/erp/simulated/erp-server.ts';
import { shortBooks } from './short-books.ts';

type Held = Extract<Operation, 'get' | 'write'>;

export interface HeldErp {
  /** As `erp` of a tenant. */
  readonly config: object;
  readonly server: Pick<RunningErp, 'calls'>;
  /** Keys of the writes that came, oldest first. */
  readonly keys: readonly string[];
  /** The next such call waits; fulfilled when one has come, with how to let it be done. */
  hold(operation: Held): Promise<() => Promise<void>>;
  /** Statuses of its purchase orders. */
  orders(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const TOKEN = 'a-token-for-tests-only';

/** @param cutEvery every so many calls the connection breaks, in turn before anything is done and before the answer; 0: never. */
export async function openHeldErp({ cutEvery = 0 } = {}): Promise<HeldErp> {
  const bare = createDemoErp({ books: shortBooks() });
  const keys: string[] = [];
  const holds = new Map<Held, (letGo: () => Promise<void>) => void>();
  async function held<Result>(operation: Held, work: () => Promise<Result>): Promise<Result> {
    const come = holds.get(operation);
    if (come === undefined) return work();
    holds.delete(operation);
    return new Promise((resolve, reject) => {
      come(async () => {
        const done = work();
        done.then(resolve, reject);
        await done;
      });
    });
  }
  const erp: Erp = {
    ...bare,
    get: async (kind, id, options) => held('get', async () => bare.get(kind, id, options)),
    write: async (command, options) => {
      keys.push(options.idempotencyKey);
      return held('write', async () => bare.write(command, options));
    },
  };
  let calls = 0;
  const fault = (): ErpFault | undefined => {
    calls += 1;
    if (cutEvery === 0 || calls % cutEvery !== 0) return undefined;
    return { fault: (calls / cutEvery) % 2 === 1 ? 'cutBefore' : 'cutAfter' };
  };
  const server = await startErpServer({ erpOf: () => erp, token: TOKEN, fault });
  return {
    config: { kind: 'http', url: server.url, token: TOKEN, callsPerSecond: 100 },
    server,
    keys,
    hold: async (operation) => new Promise((resolve) => holds.set(operation, resolve)),
    orders: async () => (await bare.list('purchaseOrder', { limit: 100 })).items.map(({ status }) => status),
    close: async () => server.close(),
  };
}

/** What is done around every call to an ERP: limits, times, opening, errors; the port itself stays as it is. */
import type { Erp } from './erp.ts';

export type ErpOperation = keyof Erp;

export type Around = <Answer>(
  call: { readonly operation: ErpOperation; readonly signal: AbortSignal | undefined },
  go: () => Promise<Answer>,
) => Promise<Answer>;

/** The same ERP, each call of it made within `around`. */
export function aroundCalls(erp: Erp, around: Around): Erp {
  return {
    list: async (kind, options) =>
      around({ operation: 'list', signal: options.signal }, async () => erp.list(kind, options)),
    get: async (kind, id, options) =>
      around({ operation: 'get', signal: options?.signal }, async () => erp.get(kind, id, options)),
    demand: async (query) => around({ operation: 'demand', signal: query.signal }, async () => erp.demand(query)),
    write: async (command, options) =>
      around({ operation: 'write', signal: options.signal }, async () => erp.write(command, options)),
    findByKey: async (key, options) =>
      around({ operation: 'findByKey', signal: options?.signal }, async () => erp.findByKey(key, options)),
    changes: async (options) =>
      around({ operation: 'changes', signal: options.signal }, async () => erp.changes(options)),
  };
}

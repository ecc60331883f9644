/** An ERP as somebody may look at it who has only so much time. */
import type { ErpReads } from './erp.ts';

/** The reads of an ERP alone; every call is given up when the signal aborts, whether its caller passes it on or not. */
export function readsUntil(erp: ErpReads, signal: AbortSignal): ErpReads {
  const until = (own: AbortSignal | undefined): AbortSignal =>
    own === undefined || own === signal ? signal : AbortSignal.any([own, signal]);
  return {
    list: async (kind, options) => erp.list(kind, { ...options, signal: until(options.signal) }),
    get: async (kind, id, options) => erp.get(kind, id, { signal: until(options?.signal) }),
    demand: async (query) => erp.demand({ ...query, signal: until(query.signal) }),
  };
}

/** What it means that a request to an ERP failed: was nothing done, or does nobody know? */
import { fetchFailureCode, neverConnected } from '../../domain/fetch-failures.ts';
import { ErpError } from '../erp-error.ts';

/** A read that failed has done nothing, whenever it failed. */
export function erpErrorOf(cause: unknown, { isWrite }: { readonly isWrite: boolean }): ErpError {
  const code = fetchFailureCode(cause);
  const isKnown = !isWrite || neverConnected(code);
  const why =
    code === 'TimeoutError'
      ? 'did not answer in time'
      : code === 'AbortError'
        ? 'was called, but the attempt was cancelled'
        : neverConnected(code)
          ? `cannot be reached (${code})`
          : `lost the connection (${code})`;
  return new ErpError({
    failure: isKnown ? 'outage' : 'unknown_fate',
    code,
    message: `the ERP ${why}: ${isKnown ? 'nothing was done' : 'it may have been done'}`,
    cause,
  });
}

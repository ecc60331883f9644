/** So that “the ERP is slow” can be seen as the cause. */
import { type Around } from './around.ts';
import type { ErpOperation } from './around.ts';
import { ErpError, type ErpFailure } from './erp-error.ts';

/** `seconds`: of the call alone, without the wait for our own limit. `error`: the caller's own mistake. */
export type OnErpCall = (call: {
  readonly operation: ErpOperation;
  readonly seconds: number;
  readonly outcome: 'answered' | ErpFailure | 'error';
}) => void;

export function tellingTimes(onCall: OnErpCall): Around {
  return async ({ operation }, go) => {
    const from = performance.now();
    const tell = (outcome: Parameters<OnErpCall>[0]['outcome']): void =>
      onCall({ operation, seconds: (performance.now() - from) / 1_000, outcome });
    try {
      const answer = await go();
      tell('answered');
      return answer;
    } catch (error) {
      tell(error instanceof ErpError ? error.failure : 'error');
      throw error;
    }
  };
}

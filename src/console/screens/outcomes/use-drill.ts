/** From a number to the runs behind it. */
import { screenAddress } from '../../addresses.ts';
import { useServer } from '../../api/context.ts';

export interface Drill {
  /** Ended since then. */
  readonly from: string;
  readonly agent: string | undefined;
  readonly version: string | undefined;
}

export function useDrill({ from, agent, version }: Drill): (more: Readonly<Record<string, string>>) => string {
  const { tenant } = useServer();
  return (more) =>
    screenAddress(tenant, 'runs', {
      ...(agent === undefined ? {} : { agent }),
      ...(version === undefined ? {} : { version }),
      endedFrom: from,
      ...more,
    });
}

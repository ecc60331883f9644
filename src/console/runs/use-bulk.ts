/** One act on many runs: those picked by hand are asked one by one from here; a filter is the server's work. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useServer } from '../api/context.ts';
import type { Server } from '../api/server.ts';
import { csvOf } from '../save-file.ts';
import type { ReceiptLine, RunRow } from '../api/shapes.ts';
import { actOnEach, bodyOf, type Asking, type BulkAct } from './bulk-acts.ts';
import type { BulkFilter } from './bulk-filter.ts';
import type { BulkProgress } from './receipt.tsx';

/** Those picked by hand, or all that fit. */
export type BulkOrder =
  { readonly act: BulkAct; readonly runs: readonly RunRow[] } | { readonly act: BulkAct; readonly filter: BulkFilter };

export interface Bulk {
  /** Live runs it would touch; undefined while they are counted. */
  readonly touches: number | undefined;
  /** Picked, and over already. */
  readonly ended: number;
  readonly begin: (asking: Asking) => Promise<void>;
  readonly beginning: boolean;
  readonly progress: BulkProgress | undefined;
  readonly error: unknown;
  readonly stop: (() => void) | undefined;
  /** The server goes on when this page is closed. */
  readonly goesOnAlone: boolean;
  readonly receiptCsv: () => Promise<string>;
}

export function useBulk(order: BulkOrder): Bulk {
  const picked = usePicked(order);
  const fitting = useFitting(order);
  return 'runs' in order ? picked : fitting;
}

function usePicked(order: BulkOrder): Bulk {
  const server = useServer();
  const queries = useQueryClient();
  const [lines, setLines] = useState<readonly ReceiptLine[]>();
  const [running, setRunning] = useState(false);
  const runs = 'runs' in order ? order.runs : [];
  const live = runs.filter(({ status }) => status === 'IN_PROGRESS').length;
  const begin = async (asking: Asking) => {
    setLines([]);
    setRunning(true);
    await actOnEach(server, { runs, ...asking }, (line) => setLines((now = []) => [line, ...now]));
    setRunning(false);
    void queries.invalidateQueries({ queryKey: [server.tenant] });
  };
  const count = (state: ReceiptLine['state']) => lines?.filter((line) => line.state === state).length ?? 0;
  return {
    touches: live,
    ended: runs.length - live,
    begin,
    beginning: running,
    progress: lines && {
      total: runs.length,
      ...{ done: count('done'), skipped: count('skipped'), failed: count('failed') },
      ...{ running, lines },
    },
    error: null,
    stop: undefined,
    goesOnAlone: false,
    receiptCsv: async () => csvOf(receiptRows(lines ?? [])),
  };
}

function useFitting(order: BulkOrder): Bulk {
  const server = useServer();
  const queries = useQueryClient();
  const [id, setId] = useState<string>();
  const [error, setError] = useState<unknown>(null);
  const [beginning, setBeginning] = useState(false);
  const filter = 'filter' in order ? order.filter : undefined;
  const counted = useQuery({
    queryKey: [server.tenant, 'bulk-count', filter],
    queryFn: async () => server.countBulk(filter ?? {}),
    enabled: filter !== undefined && id === undefined,
  });
  const bulk = useQuery({
    queryKey: [server.tenant, 'bulk', { id }],
    queryFn: async () => {
      const [now, receipt] = await Promise.all([server.bulk(id ?? ''), server.receipt(id ?? '')]);
      return { now, lines: receipt.items };
    },
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data?.now.state === 'running' ? 500 : false),
  });
  const begin = async (asking: Asking) => {
    setError(null);
    setBeginning(true);
    try {
      setId((await server.beginBulk(asking.act, filter ?? {}, bodyOf(asking))).id);
    } catch (refusal) {
      setError(refusal);
    }
    setBeginning(false);
  };
  const data = bulk.data;
  return {
    touches: counted.data?.total,
    ended: 0,
    begin,
    beginning,
    progress: data && {
      ...{ total: data.now.total, done: data.now.done, skipped: data.now.skipped, failed: data.now.failed },
      running: data.now.state === 'running',
      lines: data.lines,
    },
    error: error ?? counted.error ?? bulk.error,
    stop: () =>
      void server
        .cancelBulk(id ?? '')
        .then(() => queries.invalidateQueries({ queryKey: [server.tenant, 'bulk'] }))
        .catch(setError),
    goesOnAlone: true,
    receiptCsv: async () => csvOf(receiptRows(await wholeReceipt(server, id ?? ''))),
  };
}

async function wholeReceipt(server: Server, id: string): Promise<readonly ReceiptLine[]> {
  const lines: ReceiptLine[] = [];
  let cursor: string | undefined;
  do {
    const page = await server.receipt(id, cursor);
    lines.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return lines;
}

function receiptRows(lines: readonly ReceiptLine[]) {
  return [
    ['subject', 'slot', 'state', 'reason'],
    ...lines.map(({ subject, slot, state, reason }) => [subject, slot, state, reason]),
  ];
}

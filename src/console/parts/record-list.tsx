/** A paged list of records: reading, failing, empty, and "show more", all in one place. */
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Page } from '../api/shapes.ts';
import { useSay } from '../words/words.ts';
import { DataTable, type Column } from './data-table.tsx';
import { Reading } from './empty.tsx';
import { ProblemNote } from './problem-note.tsx';

export function RecordList<Row>({
  caption,
  query,
  columns,
  idOf,
  empty,
}: {
  readonly caption: string;
  readonly query: UseInfiniteQueryResult<InfiniteData<Page<Row>>>;
  readonly columns: readonly Column<NoInfer<Row>>[];
  readonly idOf: (row: NoInfer<Row>) => string;
  readonly empty: ReactNode;
}) {
  const say = useSay();
  if (query.isPending) return <Reading />;
  if (query.isError) return <ProblemNote error={query.error} again={() => void query.refetch()} />;
  const rows = query.data.pages.flatMap(({ items }) => items);
  if (rows.length === 0) return empty;
  return (
    <>
      <DataTable caption={caption} columns={columns} rows={rows} idOf={idOf} />
      {query.hasNextPage && (
        <p>
          <button type="button" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {say('list.more')}
          </button>
        </p>
      )}
    </>
  );
}

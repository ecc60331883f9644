/** A plain table of records. The server has filtered and sorted them, so a table library would have nothing to do. */
import type { ReactNode } from 'react';
import { Headings, type Heading } from './headings.tsx';

export interface Column<Row> extends Pick<Heading, 'id' | 'isNumber'> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
}

export interface DataTableProps<Row> {
  /** Heard, not seen. */
  readonly caption: string;
  readonly columns: readonly Column<NoInfer<Row>>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: NoInfer<Row>) => string;
}

export function DataTable<Row>({ caption, columns, rows, idOf }: DataTableProps<Row>) {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table className="table stacks">
        <caption className="spoken">{caption}</caption>
        <Headings columns={columns} />
        <tbody>
          {rows.map((row) => (
            <tr key={idOf(row)}>
              {columns.map(({ id, header, cell, isNumber }) => (
                <td key={id} className={isNumber ? 'number' : undefined} data-heading={header}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

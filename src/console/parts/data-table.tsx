/** A plain table of records. The server has filtered and sorted them, so a table library would have nothing to do. */
import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Figures stand under each other. */
  readonly isNumber?: boolean;
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
      <table className="table">
        <caption className="spoken">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ id, header, isNumber }) => (
              <th key={id} scope="col" className={isNumber ? 'number' : undefined}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={idOf(row)}>
              {columns.map(({ id, cell, isNumber }) => (
                <td key={id} className={isNumber ? 'number' : undefined}>
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

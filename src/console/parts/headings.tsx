/** The head of a table: what its columns are called. */
import type { ReactNode } from 'react';

export interface Heading {
  readonly id: string;
  readonly header: ReactNode;
  /** Figures stand under each other, and their heading above them. */
  readonly isNumber?: boolean | undefined;
  readonly className?: string;
}

export function Headings({ columns }: { readonly columns: readonly Heading[] }) {
  return (
    <thead>
      <tr>
        {columns.map(({ id, header, isNumber = false, className }) => (
          <th key={id} scope="col" className={[className, isNumber && 'number'].filter(Boolean).join(' ') || undefined}>
            {header}
          </th>
        ))}
      </tr>
    </thead>
  );
}

import type { ReactNode } from 'react';

interface PlainTableProps {
  label?: string;
  head: readonly string[];
  /** All columns but the first are numbers. */
  hasFigures?: boolean;
  className?: string | undefined;
  children: ReactNode;
}

/** A short table that is only read; what can be sorted, chosen or opened is a `DataTable`. */
export function PlainTable({ label, head, hasFigures = false, className = '', children }: PlainTableProps) {
  return (
    <table className={`table ${hasFigures ? 'figures numbers' : ''} ${className}`} aria-label={label}>
      <thead>
        <tr>
          {head.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

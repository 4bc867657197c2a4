import { Fact, FactList } from '../FactList.tsx';
import type { Column } from './columns.ts';
import classes from './RowPeek.module.css';

interface RowPeekProps<Row> {
  /** Every column, hidden ones included. */
  columns: readonly Column<Row>[];
  row: Row;
  canOpen: boolean;
}

/** Everything that the list knows of the active row, above the list, which keeps the focus. */
export function RowPeek<Row>({ columns, row, canOpen }: RowPeekProps<Row>) {
  const [first, ...others] = columns;
  const told = others.filter(({ header, text }) => {
    const value = text?.(row);
    return header !== '' && value !== null && value !== '';
  });
  return (
    <section className={`scroll card ${classes['peek']}`} aria-label="Preview" aria-live="polite">
      <div className={`strong pb-12 ${classes['name']}`}>{first?.cell(row, false)}</div>
      <FactList wide>
        {told.map((column) => (
          <Fact key={column.id} label={column.header}>
            {column.cell(row, false)}
          </Fact>
        ))}
      </FactList>
      <p className="faint note">{canOpen ? 'Enter opens it. ' : ''}Space or Esc closes the preview.</p>
    </section>
  );
}

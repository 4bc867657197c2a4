import { Button, Kbd, Menu } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { type ReactNode, useRef, useState } from 'react';
import { csvLine } from '../../lib/csv.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { copyText } from '../copy-text.ts';
import { notifyError } from '../notice/notify.ts';
import type { LaidColumn, RowSource } from '../table/columns.ts';
import { NOTHING_SELECTED, selectRows } from '../table/selection.ts';
import type { TableSelection } from '../table/table-props.ts';
import type { ColumnLayout } from '../table/use-column-layout.ts';
import { useListFocus } from '../use-list-focus.ts';
import classes from './SelectionBar.module.css';

/** The most rows of a selection; an export takes all. */
const MAX_SELECTED = 10_000;

export interface SelectionBarProps<Row> {
  selection: TableSelection<Row>;
  rows: RowSource<Row>;
  columns: ColumnLayout<Row>;
  rowKey: (row: Row) => string;
  /** The actions on the rows. */
  children?: ReactNode;
}

/** Docked below the table, so that it never covers a row. */
export function SelectionBar<Row>(props: SelectionBarProps<Row>) {
  const { selection, rows, columns, rowKey, children } = props;
  const [isReading, setReading] = useState(false);
  const chosen = [...selection.value.rows.values()];
  const { total = 0, readAll } = rows;
  const bar = useRef<HTMLDivElement>(null);
  const isShown = chosen.length > 0;
  useListFocus(bar, isShown);
  if (!isShown) return null;
  const copy = (kind: 'CSV' | 'JSON'): void => {
    const text = kind === 'CSV' ? toCsv(chosen, columns.visible) : JSON.stringify(chosen, null, 2);
    void copyText(text, `${formatCount(chosen.length, 'row')} copied as ${kind}`);
  };
  const selectAll = async (): Promise<void> => {
    setReading(true);
    try {
      selection.onChange(selectRows((await readAll?.(MAX_SELECTED)) ?? [], rowKey));
    } catch (error) {
      notifyError(error);
    } finally {
      setReading(false);
    }
  };
  const most = Math.min(total, MAX_SELECTED);
  return (
    <div
      ref={bar}
      className={`row gap-2 rigid ${classes['bar']}`}
      role="toolbar"
      aria-label="Selected rows"
      data-docked
    >
      <span className={`strong one-line ${classes['count']}`}>
        {formatNumber(chosen.length)} selected
        {chosen.length < total && <span className="faint"> of {formatNumber(total)}</span>}
      </span>
      {readAll && chosen.length < most && (
        <Button variant="subtle" loading={isReading} onClick={() => void selectAll()}>
          Select {total > MAX_SELECTED ? 'the first' : 'all'} {formatNumber(most)}
        </Button>
      )}
      {children}
      <Menu position="top-start">
        <Menu.Target>
          <Button variant="subtle" leftSection={<IconCopy size={16} stroke={1.6} />}>
            Copy
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => copy('CSV')}>As CSV, the columns shown</Menu.Item>
          <Menu.Item onClick={() => copy('JSON')}>As JSON, everything</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Button
        className={classes['clear'] ?? ''}
        variant="subtle"
        onClick={() => selection.onChange(NOTHING_SELECTED)}
        rightSection={<Kbd>Esc</Kbd>}
      >
        Clear
      </Button>
    </div>
  );
}

function toCsv<Row>(rows: readonly Row[], columns: readonly LaidColumn<Row>[]): string {
  const copied = columns.flatMap(({ header, text }) => (text ? [{ header, text }] : []));
  return [
    csvLine(copied.map(({ header }) => header)),
    ...rows.map((row) => csvLine(copied.map(({ text }) => text(row)))),
  ].join('');
}

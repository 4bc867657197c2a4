import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { EmptyState } from '../EmptyState.tsx';
import type { UrlState } from '../use-url-state.ts';
import type { Column, RowSource } from './columns.ts';
import { DataTable } from './DataTable.tsx';

interface LiveRows<Row> extends RowSource<Row> {
  heldCount: number;
  showHeld: () => void;
  setAtTop: (atTop: boolean) => void;
}

export interface LiveTableProps<Row> {
  label: string;
  columns: Column<Row>[];
  rows: LiveRows<Row>;
  url: UrlState;
  /** Parameters of the address that narrow the list. */
  filters: readonly string[];
  /** Key of the row that is open in the side panel. */
  open: string | undefined;
  onShow: (id: string | undefined) => void;
  /** What is said when the filters leave nothing. */
  nothingFits: string;
  /** What is shown while there is nothing at all. */
  nothing: ReactNode;
  describeError: (error: Error) => { message: string; code: string };
}

/** A list of what happens, newest first, that follows while it is read; sort and filters live in the address. */
export function LiveTable<Row extends { id: string }>(props: LiveTableProps<Row>) {
  const { rows, url, filters, open, onShow } = props;
  const clear = (): void => url.set(Object.fromEntries(filters.map((name) => [name, ''])));
  return (
    <DataTable
      label={props.label}
      columns={props.columns}
      source={rows}
      rowKey={(row) => row.id}
      rowHeight={28}
      sort={url.get('sort') ?? '-time'}
      onSort={(sort) => url.set({ sort: sort === '-time' ? '' : sort })}
      onOpen={(row) => onShow(row.id)}
      openKey={open}
      onClose={() => onShow(undefined)}
      heldCount={rows.heldCount}
      onShowHeld={rows.showHeld}
      onTopChange={rows.setAtTop}
      describeError={props.describeError}
      empty={
        filters.some((name) => url.get(name)) ? (
          <EmptyState title="Nothing matches" text={props.nothingFits}>
            <Button variant="default" onClick={clear}>
              Clear filters
            </Button>
          </EmptyState>
        ) : (
          props.nothing
        )
      }
    />
  );
}

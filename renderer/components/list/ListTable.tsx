import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { windowHref } from '../../lib/paths.ts';
import { EmptyState } from '../EmptyState.tsx';
import type { RowSource } from '../table/columns.ts';
import { DataTable } from '../table/DataTable.tsx';
import type { DataTableProps } from '../table/table-props.ts';
import type { ListState } from './use-list.ts';
import type { OpenRow } from './use-open-row.ts';

/** Rows that stay in place while they are read; new ones wait behind a pill. */
interface PinnedRows {
  heldText: string | undefined;
  showHeld: () => void;
  setAtTop: (atTop: boolean) => void;
}

type TableProps<Row> = Pick<
  DataTableProps<Row>,
  'label' | 'columns' | 'rowKey' | 'rowId' | 'rowHeight' | 'selection' | 'isDim' | 'onExclude' | 'describeError'
>;

interface ListTableProps<Row> extends TableProps<Row> {
  list: ListState;
  rows: RowSource<Row> & Partial<PinnedRows>;
  /** Address of the page that a row opens. */
  rowPath?: (row: Row) => string;
  /** Id of the row beside the list, where rows open in a side panel. */
  opened?: OpenRow;
  /** The message when no row matches the filters. */
  nothingFits: string;
  /** Shown while the list is empty. */
  nothing: ReactNode;
}

/** The rows of a list screen, or what replaces them while there are none. */
export function ListTable<Row>(props: ListTableProps<Row>) {
  const { list, rows, rowPath, opened, nothingFits, nothing, ...table } = props;
  const navigate = useNavigate();
  return (
    <DataTable
      {...table}
      isMain
      source={rows}
      onFilter={(name, value) => list.url.set({ [name]: value })}
      {...(list.sort !== undefined && { sort: list.sort, onSort: list.setSort })}
      {...(rowPath && {
        onOpen: (row: Row) => void navigate(rowPath(row)),
        rowHref: (row: Row) => windowHref(rowPath(row)),
      })}
      {...(opened && {
        onOpen: (row: Row) => opened.show(table.rowKey(row)),
        onOpenPage: (row: Row) => opened.showPage(table.rowKey(row)),
        rowHref: (row: Row) => opened.href(table.rowKey(row)),
        openKey: opened.open,
        onClose: () => opened.show(undefined),
      })}
      {...(rows.setAtTop && { heldText: rows.heldText, onTopChange: rows.setAtTop })}
      {...(rows.showHeld && { onShowHeld: rows.showHeld })}
      empty={
        list.isFiltered ? (
          <EmptyState title="Nothing matches" text={`${nothingFits} Active: ${activeFilters(list)}.`}>
            <Button variant="default" onClick={list.clearFilters}>
              Clear filters
            </Button>
          </EmptyState>
        ) : (
          nothing
        )
      }
    />
  );
}

function activeFilters({ names, filters }: ListState): string {
  return names
    .filter((name) => filters[name])
    .map((name) => `${name} ${filters[name]}`)
    .join(', ');
}

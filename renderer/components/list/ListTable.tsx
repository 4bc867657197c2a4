import { Button } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { useNavigate } from 'react-router';
import { describeError } from '../../lib/api-error.ts';
import type { ShownGroup } from '../../lib/list-groups.ts';
import { windowHref } from '../../lib/paths.ts';
import { splitList } from '../../lib/search-params.ts';
import { EmptyState } from '../page/EmptyState.tsx';
import type { RowSource } from '../table/columns.ts';
import { DataTable } from '../table/DataTable.tsx';
import type { DataTableProps } from '../table/table-props.ts';
import type { Grouping } from './use-grouping.ts';
import type { ListState } from './use-list.ts';
import type { OpenRow } from './use-open-row.ts';

const GroupedTable = lazy(async () => ({ default: (await import('./GroupedTable.tsx')).GroupedTable }));

/** Rows that stay in place while they are read; new ones wait behind a pill. */
interface PinnedRows {
  heldText: string | undefined;
  showHeld: () => void;
  setAtTop: (atTop: boolean) => void;
}

type TableProps<Row> = Pick<
  DataTableProps<Row>,
  'label' | 'columns' | 'rowMenu' | 'onOpen' | 'rowKey' | 'rowId' | 'rowHeight' | 'selection' | 'isDim' | 'onExclude'
>;

interface ListTableProps<Row> extends TableProps<Row> {
  list: ListState;
  rows: RowSource<Row> & Partial<PinnedRows> & { groups?: ShownGroup[] | undefined };
  /** Address of the page that a row opens. */
  rowPath?: (row: Row) => string;
  /** Id of the row beside the list, where rows open in a side panel. */
  opened?: OpenRow;
  /** The message when no row matches the filters. */
  nothingFits: string;
  /** How one value of a filter is called, by the filter's name; absent: as the address has it. */
  describeFilter?: Readonly<Record<string, (value: string) => string>>;
  /** What is shown while there is nothing at all. */
  nothing: ReactNode;
  /** Where the list can be grouped. */
  grouping?: Grouping;
  /** How a group is called whose value is no name, as that of a status. */
  describeGroup?: (value: string) => string;
}

/** What the server answers to a parameter that it does not know. */
const UNKNOWN_QUERY = 'invalid_query_params';

/** The rows of a list screen, with what is shown in their stead while there are none. */
export function ListTable<Row>(props: ListTableProps<Row>) {
  const {
    list,
    rows,
    rowPath,
    opened,
    nothingFits,
    describeFilter,
    nothing,
    grouping,
    describeGroup = String,
    ...table
  } = props;
  const navigate = useNavigate();
  const isRefused = rows.error !== null && describeError(rows.error).code === UNKNOWN_QUERY;
  if (isRefused && rows.total === undefined)
    return (
      <EmptyState
        title="This link has a filter that the list does not know"
        text="It has a typing error, or the link is from another version."
      >
        <Button
          variant="default"
          onClick={() =>
            list.url.set(Object.fromEntries([...list.names, 'period', 'live', 'sort'].map((name) => [name, ''])))
          }
        >
          Clear filters
        </Button>
      </EmptyState>
    );
  const shown: DataTableProps<Row> = {
    ...table,
    isMain: true,
    source: rows,
    onFilter: (name, value) => list.url.set({ [name]: value }),
    ...(list.sort !== undefined && { sort: list.sort, onSort: list.setSort }),
    ...(rowPath && {
      onOpen: (row: Row) => void navigate(rowPath(row)),
      rowHref: (row: Row) => windowHref(rowPath(row)),
    }),
    ...(opened && {
      onOpen: (row: Row) => opened.show(table.rowKey(row)),
      onOpenPage: (row: Row) => opened.showPage(table.rowKey(row)),
      rowHref: (row: Row) => opened.href(table.rowKey(row)),
      openKey: opened.open,
      onClose: opened.close,
    }),
    ...(rows.setAtTop && { heldText: rows.heldText, onTopChange: rows.setAtTop }),
    ...(rows.showHeld && { onShowHeld: rows.showHeld }),
    empty: list.isFiltered ? (
      <EmptyState title="Nothing matches" text={`${nothingFits} Active: ${activeFilters(list, describeFilter)}.`}>
        <Button variant="default" onClick={list.clearFilters}>
          Clear filters
        </Button>
      </EmptyState>
    ) : (
      nothing
    ),
  };
  // Until the first page of the grouped list is there, its rows are those of the list before.
  if (grouping?.by === undefined || !rows.groups) return <DataTable {...shown} />;
  return (
    <Suspense fallback={null}>
      <GroupedTable
        table={shown as unknown as DataTableProps<unknown>}
        groups={rows.groups}
        grouping={grouping}
        nameOf={describeGroup}
      />
    </Suspense>
  );
}

const FILTER_NAMES: Readonly<Record<string, string>> = {
  integrations: 'integration',
  connections: 'connection',
  states: 'state',
  types: 'type',
  syncs: 'function',
  actions: 'action',
  apps: 'app',
  results: 'result',
  outcomes: 'result',
  authModes: 'auth type',
  auth: 'auth type',
  tags: 'tag',
  having: 'only',
};

/** "search “ann”, status Paused or Healthy". */
function activeFilters(
  { names, filters }: ListState,
  describe: Readonly<Record<string, (value: string) => string>> = {},
): string {
  const shown = (name: string, text: string): string => {
    const valueName = describe[name];
    if (valueName) return splitList(text).map(valueName).join(' or ');
    return name === 'search' ? `“${text.trim()}”` : splitList(text).join(' or ');
  };
  return names
    .flatMap((name) => (filters[name] ? [`${FILTER_NAMES[name] ?? name} ${shown(name, filters[name])}`] : []))
    .join(', ');
}

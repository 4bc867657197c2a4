import { UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useMemo } from 'react';
import { formatNumber } from '../../lib/format-number.ts';
import { FURTHER_GROUPS, placeGroups, type ShownGroup } from '../../lib/list-groups.ts';
import { ProviderLogo } from '../connection/ProviderLogo.tsx';
import { DataTable } from '../table/DataTable.tsx';
import type { DataTableProps, HeadPlace } from '../table/table-props.ts';
import classes from './GroupedTable.module.css';
import type { Grouping } from './use-grouping.ts';

interface GroupedTableProps<Row> {
  table: DataTableProps<Row>;
  groups: readonly ShownGroup[];
  grouping: Grouping;
  /** How a value is called that has no label of its own. */
  nameOf: (value: string) => string;
}

/** A list whose rows stand in groups, which are collapsed and expanded by a click, Enter, ArrowLeft and ArrowRight. */
export function GroupedTable<Row>({ table, groups, grouping, nameOf }: GroupedTableProps<Row>) {
  const { source } = table;
  const { collapsed } = grouping;
  const closed = collapsed.join('\n');
  const places = useMemo(
    () => placeGroups(groups, source.total ?? 0, new Set(closed === '' ? [] : closed.split('\n'))),
    [groups, source.total, closed],
  );
  const grouped = useMemo(() => {
    const rowOf = (index: number): number | undefined => {
      const place = places.at(index);
      return place && 'row' in place ? place.row : undefined;
    };
    return {
      ...source,
      total: places.total,
      rowAt: (index: number): Row | undefined => {
        const row = rowOf(index);
        return row === undefined ? undefined : source.rowAt(row);
      },
      showRange: (first: number, last: number): void => {
        const rows: number[] = [];
        for (let index = first; index <= last; index += 1) {
          const row = rowOf(index);
          if (row !== undefined) rows.push(row);
        }
        source.showRows?.(rows);
      },
    };
  }, [source, places]);
  const headAt = (index: number): ShownGroup | undefined => {
    const place = places.at(index);
    return place && 'head' in place ? place.head : undefined;
  };
  const fold = (index: number, wish?: 'open' | 'closed'): boolean => {
    const head = headAt(index);
    if (!head) return false;
    const isClosed = collapsed.includes(head.value);
    if (wish !== undefined && isClosed === (wish === 'closed')) return true;
    grouping.setCollapsed(isClosed ? collapsed.filter((one) => one !== head.value) : [...collapsed, head.value]);
    return true;
  };
  const head = ({ index, id, top, height, isActive }: HeadPlace): ReactNode => {
    const group = headAt(index);
    if (!group) return undefined;
    const isOpen = !collapsed.includes(group.value);
    const name =
      group.value === FURTHER_GROUPS
        ? `Groups after the first ${formatNumber(groups.length)}`
        : (group.label ?? nameOf(group.value));
    const Chevron = isOpen ? IconChevronDown : IconChevronRight;
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the grid around it takes focus and keys.
      <div
        key={`group ${group.value}`}
        id={id}
        role="row"
        aria-rowindex={index + 2}
        className={`row gap-0 gutter hovers line-below sunken ${classes['head']}`}
        data-active={isActive || undefined}
        style={{ height, transform: `translateY(${top}px)` }}
        onClick={() => fold(index)}
      >
        {/* biome-ignore lint/a11y/useFocusableInteractive: the grid is the one tab stop. */}
        <div role="gridcell" className={classes['cell']}>
          <UnstyledButton tabIndex={-1} aria-expanded={isOpen} className="row" style={{ color: 'var(--hp-text)' }}>
            <Chevron size={14} stroke={1.6} aria-hidden />
            {group.provider !== null && <ProviderLogo provider={group.provider} name={name} />}
            <span className="strong" style={{ whiteSpace: 'nowrap' }}>
              {name}
            </span>
            <span className="faint numbers">{formatNumber(group.count)}</span>
          </UnstyledButton>
        </div>
      </div>
    );
  };
  return (
    <DataTable
      {...table}
      source={grouped}
      groups={{ rowCount: source.total ?? 0, head, isHead: (index) => headAt(index) !== undefined, fold }}
    />
  );
}

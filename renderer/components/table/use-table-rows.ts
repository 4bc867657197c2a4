import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useRef } from 'react';
import type { DataTableProps } from './table-props.ts';

export const HEAD_HEIGHT = 32;

/** The visible rows, and the active one even when it is not visible: screen readers must find it. */
function withActive(range: Range, active: number): number[] {
  const rows = defaultRangeExtractor(range);
  if (active < 0 || active >= range.count || rows.includes(active)) return rows;
  return [...rows, active].sort((a, b) => a - b);
}

/** Virtual rows below a sticky head; tells the source which rows are visible. */
export function useTableRows<Row>(
  { source, onTopChange, growsAtEnd }: DataTableProps<Row>,
  { scroller, rowHeight }: { scroller: RefObject<HTMLDivElement | null>; rowHeight: number },
) {
  const activeRow = useRef(0);
  const virtual = useVirtualizer({
    count: source.total ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollMargin: HEAD_HEIGHT,
    scrollPaddingStart: HEAD_HEIGHT,
    rangeExtractor: (range) => withActive(range, activeRow.current),
  });
  // Another density changes the height of every row.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the virtualizer reads the height itself.
  useEffect(() => virtual.measure(), [virtual, rowHeight]);
  const first = virtual.range?.startIndex ?? 0;
  const last = virtual.range?.endIndex ?? 0;
  const { showRange } = source;
  useEffect(() => showRange(first, last), [showRange, first, last]);
  const isAtEnd = growsAtEnd ? last >= (source.total ?? 0) - 1 : (virtual.scrollOffset ?? 0) < rowHeight;
  useEffect(() => onTopChange?.(isAtEnd), [onTopChange, isAtEnd]);
  return { virtual, activeRow };
}

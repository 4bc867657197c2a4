import { type RefObject, useEffect, useRef } from 'react';
import { placeOfRow, rowAtPlace, rowWindow } from './row-window.ts';
import type { DataTableProps } from './table-props.ts';
import { useVisiblePlaces } from './use-visible-places.ts';

export const HEAD_HEIGHT = 32;
/** A scroll over more rows at once is a drag of the scroll bar. */
const JUMP = 200;

/** The visible places, and the active one even when it is not visible: screen readers must find it. */
function withActive(places: number[], active: number, count: number): number[] {
  if (active < 0 || active >= count || places.includes(active)) return places;
  return [...places, active].sort((a, b) => a - b);
}

/** The rows that are shown, and where. */
export interface ShownRows {
  items: ReadonlyArray<{ index: number; top: number }>;
  height: number;
  /** The first visible row. */
  first: number;
  /** Distance of a row from the top of the list. */
  topOf: (row: number) => number;
  scrollToRow: (row: number, align?: 'auto' | 'start' | 'end') => void;
}

/** Virtual rows below a sticky head; tells the source which rows are visible. */
export function useTableRows<Row>(
  { source, onTopChange, growsAtEnd }: DataTableProps<Row>,
  { scroller, rowHeight }: { scroller: RefObject<HTMLDivElement | null>; rowHeight: number },
) {
  const activeRow = useRef(0);
  const total = source.total ?? 0;
  const list = rowWindow(total, rowHeight);
  const { places } = list;
  /** The row at the first place: 0 unless the list has more rows than places. */
  const shift = useRef(0);
  shift.current = Math.min(shift.current, total - places);
  const offset = useRef(0);

  /** Small steps show the next rows; a jump, or an end, shows the rows of its place. */
  const onScroll = (next: number, viewHeight: number, isScrolling: boolean): void => {
    const before = offset.current;
    offset.current = next;
    if (places === total) return;
    const place = Math.floor(next / rowHeight);
    const isAtEnd = next + viewHeight >= places * rowHeight + HEAD_HEIGHT - 1;
    if (next <= 0) shift.current = 0;
    else if (isAtEnd) shift.current = total - places;
    else if (Math.abs(next - before) > JUMP * rowHeight) shift.current = rowAtPlace(place, list) - place;
    else if (!isScrolling) settle(place);
  };
  /** After small steps the same rows are shown at their own place, so that both ends stay in reach. */
  const settle = (place: number): void => {
    const row = place + shift.current;
    const own = placeOfRow(row, list);
    if (own === place || !scroller.current) return;
    shift.current = row - own;
    offset.current += (own - place) * rowHeight;
    scroller.current.scrollTop = offset.current;
  };
  const visible = useVisiblePlaces({
    scroller,
    count: places,
    height: rowHeight,
    headHeight: HEAD_HEIGHT,
    onScroll: (next, viewHeight, isScrolling) => {
      onScroll(next, viewHeight, isScrolling);
      return offset.current;
    },
  });
  const first = (visible.range?.first ?? 0) + shift.current;
  const last = (visible.range?.last ?? 0) + shift.current;
  const { showRange } = source;
  useEffect(() => showRange(first, last), [showRange, first, last]);
  const isAtEnd = growsAtEnd ? last >= total - 1 : shift.current === 0 && visible.offset < rowHeight;
  useEffect(() => onTopChange?.(isAtEnd), [onTopChange, isAtEnd]);

  const rows: ShownRows = {
    items: withActive(visible.places, activeRow.current - shift.current, places).map((place) => ({
      index: place + shift.current,
      top: place * rowHeight,
    })),
    height: places * rowHeight,
    first,
    topOf: (row) => (row - shift.current) * rowHeight,
    scrollToRow: (row, align = 'auto') => {
      const near = row - shift.current;
      const isNear = near >= 0 && near < places && Math.abs(row - first) < JUMP;
      const place = isNear ? near : placeOfRow(row, list);
      shift.current = row - place;
      // The scroll that follows is no jump of the person.
      if (!isNear) offset.current = place * rowHeight;
      visible.scrollToPlace(place, align);
    },
  };
  return { rows, activeRow };
}

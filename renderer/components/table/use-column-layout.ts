import { useCallback, useMemo, useState, useSyncExternalStore } from 'react';
import type { Density } from '../../lib/preferences.ts';
import { readStored, writeStored } from '../../lib/stored.ts';
import type { Column, LaidColumn } from './columns.ts';

interface StoredLayout {
  /** Absent: shown. */
  columnVisibility: Record<string, boolean>;
  /** Ids; columns that are not named follow in their own order. */
  columnOrder: string[];
  /** Ids at the left edge, in their order; `end` stays empty. */
  columnPinning: { start: string[]; end: string[] };
  columnSizing: Record<string, number>;
  density?: Density;
}

const MIN_SIZE = 40;
const MAX_SIZE = 1200;
/** As in the style sheet of the table, which pins no column there. */
const NARROW = '(max-width: 640px)';

function onNarrowChange(notify: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener('change', notify);
  return () => query.removeEventListener('change', notify);
}

/** The columns of a narrow window: the early ones follow the first one. */
function narrowColumns<Row>(columns: Column<Row>[]): Column<Row>[] {
  const [first, ...others] = columns.map((column) => ({ ...column, width: column.narrowWidth ?? column.width }));
  const isEarly = ({ isEarly = false }: Column<Row>): boolean => isEarly;
  return first ? [first, ...others.filter(isEarly), ...others.filter((column) => !isEarly(column))] : [];
}

/** The column layout of a list, and the functions that change it. */
export interface ColumnLayout<Row> {
  /** Every column in its order, hidden ones included. */
  all: Array<LaidColumn<Row> & { isVisible: boolean; canHide: boolean }>;
  visible: LaidColumn<Row>[];
  density: Density | undefined;
  setDensity: (density: Density) => void;
  toggle: (id: string) => void;
  togglePin: (id: string) => void;
  /** One to the left (-1) or to the right (1). */
  move: (id: string, by: 1 | -1) => void;
  /** Moves a column to the position of another one. */
  moveTo: (id: string, target: string) => void;
  resize: (id: string, pixels: number) => void;
  resetSize: (id: string) => void;
  reset: () => void;
  isChanged: boolean;
}

function initialLayout<Row>(columns: readonly Column<Row>[]): StoredLayout {
  const hidden = columns.filter((column) => column.startsHidden);
  return {
    columnVisibility: Object.fromEntries(hidden.map((column) => [column.id, false])),
    columnOrder: [],
    columnPinning: { start: [], end: [] },
    columnSizing: {},
  };
}

/** Every column: the pinned ones first, then the others as they were ordered. */
function inOrder<Row>(columns: readonly Column<Row>[], { columnOrder, columnPinning }: StoredLayout): Column<Row>[] {
  const byId = new Map(columns.map((column) => [column.id, column]));
  const ids = new Set([...columnPinning.start, ...columnOrder, ...byId.keys()]);
  return [...ids].flatMap((id) => byId.get(id) ?? []);
}

/** Order, width, pins, density and visibility of columns, stored per list. */
export function useColumnLayout<Row>(listId: string, wideColumns: Column<Row>[]): ColumnLayout<Row> {
  const isNarrow = useSyncExternalStore(onNarrowChange, () => matchMedia(NARROW).matches);
  const columns = useMemo(() => (isNarrow ? narrowColumns(wideColumns) : wideColumns), [isNarrow, wideColumns]);
  const name = `layout.${listId}`;
  const [stored, setStored] = useState<Partial<StoredLayout>>(() => readStored(name, {}));
  const layout = useMemo(() => ({ ...initialLayout(columns), ...stored }), [columns, stored]);
  const change = useCallback(
    (changes: (old: StoredLayout) => Partial<StoredLayout>) =>
      setStored((old) => {
        const next = { ...old, ...changes({ ...initialLayout(columns), ...old }) };
        writeStored(name, next);
        return next;
      }),
    [name, columns],
  );
  return useMemo(() => {
    const isPinned = (id: string): boolean => layout.columnPinning.start.includes(id);
    const isShown = (id: string): boolean => layout.columnVisibility[id] ?? true;
    const all = inOrder(columns, layout).map((column) => {
      const isFirst = column.id === columns[0]?.id;
      const size = layout.columnSizing[column.id];
      return {
        ...column,
        ...(size !== undefined && { size }),
        isPinned: isPinned(column.id),
        canHide: !isFirst,
        isVisible: isFirst || isShown(column.id),
      };
    });
    const moveTo = (id: string, target: string): void => {
      const order = all.map((column) => column.id).filter((one) => one !== id);
      const [from, to] = [all.findIndex((one) => one.id === id), all.findIndex((one) => one.id === target)];
      order.splice(order.indexOf(target) + (from < to ? 1 : 0), 0, id);
      change(() => ({ columnOrder: order }));
    };
    return {
      all,
      visible: all.filter((column) => column.isVisible),
      density: layout.density,
      setDensity: (next) => change(() => ({ density: next })),
      toggle: (id) => change((old) => ({ columnVisibility: { ...old.columnVisibility, [id]: !isShown(id) } })),
      togglePin: (id) =>
        change(({ columnPinning: { start } }) => {
          const others = start.filter((one) => one !== id);
          return { columnPinning: { start: isPinned(id) ? others : [...others, id], end: [] } };
        }),
      move: (id, by) => {
        const shown = all.filter((column) => column.isVisible);
        const target = shown[shown.findIndex((one) => one.id === id) + by];
        if (target) moveTo(id, target.id);
      },
      moveTo,
      resize: (id, pixels) =>
        change(({ columnSizing }) => ({
          columnSizing: { ...columnSizing, [id]: Math.round(Math.min(Math.max(pixels, MIN_SIZE), MAX_SIZE)) },
        })),
      resetSize: (id) => change(({ columnSizing: { [id]: _, ...others } }) => ({ columnSizing: others })),
      reset: () => {
        writeStored(name, {});
        setStored({});
      },
      isChanged: Object.keys(stored).length > 0,
    } satisfies ColumnLayout<Row>;
  }, [columns, layout, change, name, stored]);
}

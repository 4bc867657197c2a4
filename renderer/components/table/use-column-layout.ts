import {
  type ColumnOrderState,
  type ColumnPinningState,
  type ColumnSizingState,
  type ColumnVisibilityState,
  columnOrderingFeature,
  columnPinningFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  tableFeatures,
  type Updater,
  useTable,
} from '@tanstack/react-table';
import { useCallback, useMemo, useState } from 'react';
import type { Density } from '../../lib/preferences.ts';
import { readStored, writeStored } from '../../lib/stored.ts';
import type { Column, LaidColumn } from './columns.ts';

const features = tableFeatures({
  columnOrderingFeature,
  columnPinningFeature,
  columnSizingFeature,
  columnVisibilityFeature,
});

interface StoredLayout {
  columnVisibility: ColumnVisibilityState;
  columnOrder: ColumnOrderState;
  columnPinning: ColumnPinningState;
  columnSizing: ColumnSizingState;
  density?: Density;
}

const MIN_SIZE = 40;
const MAX_SIZE = 1200;

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

const resolve = <T>(updater: Updater<T>, old: T): T =>
  typeof updater === 'function' ? (updater as (old: T) => T)(old) : updater;

/** Order, width, pins, density and visibility of columns, stored per list. */
export function useColumnLayout<Row>(listId: string, columns: Column<Row>[]): ColumnLayout<Row> {
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
  const definitions = useMemo(
    () => columns.map(({ id, width }) => ({ id, size: width, minSize: MIN_SIZE, maxSize: MAX_SIZE })),
    [columns],
  );
  const { density, ...state } = layout;
  const table = useTable({
    features,
    columns: definitions,
    data: NO_ROWS,
    state,
    onColumnVisibilityChange: (next) => change((old) => ({ columnVisibility: resolve(next, old.columnVisibility) })),
    onColumnOrderChange: (next) => change((old) => ({ columnOrder: resolve(next, old.columnOrder) })),
    onColumnPinningChange: (next) => change((old) => ({ columnPinning: resolve(next, old.columnPinning) })),
    onColumnSizingChange: (next) => change((old) => ({ columnSizing: resolve(next, old.columnSizing) })),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the table never changes; its state follows the layout.
  return useMemo(() => {
    const byId = new Map(columns.map((column) => [column.id, column]));
    const pinned = [...table.getStartLeafColumns(), ...table.getCenterLeafColumns()];
    const all = pinned.flatMap((one) => {
      const column = byId.get(one.id);
      if (!column) return [];
      const size = layout.columnSizing[one.id];
      return {
        ...column,
        ...(size !== undefined && { size }),
        isPinned: one.getIsPinned() === 'start',
        canHide: one.id !== columns[0]?.id,
        isVisible: one.id === columns[0]?.id || one.getIsVisible(),
      };
    });
    const moveTo = (id: string, target: string): void => {
      const order = all.map((column) => column.id).filter((one) => one !== id);
      const [from, to] = [all.findIndex((one) => one.id === id), all.findIndex((one) => one.id === target)];
      order.splice(order.indexOf(target) + (from < to ? 1 : 0), 0, id);
      table.setColumnOrder(order);
    };
    return {
      all,
      visible: all.filter((column) => column.isVisible),
      density,
      setDensity: (next) => change(() => ({ density: next })),
      toggle: (id) => table.getColumn(id)?.toggleVisibility(),
      togglePin: (id) => {
        const column = table.getColumn(id);
        column?.pin(column.getIsPinned() ? false : 'start');
      },
      move: (id, by) => {
        const shown = all.filter((column) => column.isVisible);
        const target = shown[shown.findIndex((one) => one.id === id) + by];
        if (target) moveTo(id, target.id);
      },
      moveTo,
      resize: (id, pixels) =>
        table.setColumnSizing((old) => ({
          ...old,
          [id]: Math.round(Math.min(Math.max(pixels, MIN_SIZE), MAX_SIZE)),
        })),
      resetSize: (id) => table.getColumn(id)?.resetSize(),
      reset: () => {
        writeStored(name, {});
        setStored({});
      },
      isChanged: Object.keys(stored).length > 0,
    } satisfies ColumnLayout<Row>;
  }, [columns, layout, density, change, name, stored]);
}

const NO_ROWS: never[] = [];

import { useMemo, useState } from 'react';
import { readStored, writeStored } from '../../lib/stored.ts';
import type { Column } from './columns.ts';

export interface ColumnChoice<Row> {
  all: Column<Row>[];
  visible: Column<Row>[];
  isVisible: (id: string) => boolean;
  toggle: (id: string) => void;
}

/** Which columns are shown, remembered per table. */
export function useColumns<Row>(tableId: string, all: Column<Row>[]): ColumnChoice<Row> {
  const [hidden, setHidden] = useState<string[]>(() =>
    readStored(
      `columns.${tableId}`,
      all.filter((column) => column.startsHidden).map((column) => column.id),
    ),
  );
  return useMemo(() => {
    const isVisible = (id: string): boolean => id === all[0]?.id || !hidden.includes(id);
    return {
      all,
      visible: all.filter((column) => isVisible(column.id)),
      isVisible,
      toggle: (id) => {
        const next = hidden.includes(id) ? hidden.filter((one) => one !== id) : [...hidden, id];
        setHidden(next);
        writeStored(`columns.${tableId}`, next);
      },
    };
  }, [all, hidden, tableId]);
}

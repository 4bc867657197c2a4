import { extendSelection, NOTHING_SELECTED, toggleSelection } from './selection.ts';
import type { DataTableProps } from './table-props.ts';

export type SelectMode = 'toggle' | 'extend' | 'all';

/** The actions on rows by index, for keys and pointer. */
export interface RowActions {
  open: (index: number, inNewWindow: boolean) => void;
  select: (index: number, mode: SelectMode) => void;
  clearSelection: () => void;
  /** Closes the panel, otherwise clears the selection; false when there was neither. */
  escape: () => boolean;
}

export function rowActions<Row>(props: DataTableProps<Row>): RowActions {
  const { source, selection, rowKey } = props;
  const rows = { total: source.total ?? 0, rowAt: source.rowAt, rowKey };
  const clearSelection = (): void => selection?.onChange(NOTHING_SELECTED);
  return {
    open: (index, inNewWindow) => {
      if (props.groups?.fold(index)) return;
      const row = source.rowAt(index);
      if (!row) return;
      if (inNewWindow && props.rowHref) window.open(props.rowHref(row), '_blank', 'noopener');
      else props.onOpen?.(row);
    },
    select: (index, mode) => {
      if (!selection) return;
      const { value, onChange } = selection;
      const row = source.rowAt(index);
      if (mode === 'extend') onChange(extendSelection(value, index, rows));
      else if (mode === 'all') {
        const first = source.rowAt(0);
        onChange(extendSelection({ ...value, anchor: first && rowKey(first) }, rows.total - 1, rows));
      } else if (row !== undefined) onChange(toggleSelection(value, rowKey(row), row));
    },
    clearSelection,
    escape: () => {
      if (props.openKey !== undefined) props.onClose?.();
      else if (selection && selection.value.rows.size > 0) clearSelection();
      else return false;
      return true;
    },
  };
}

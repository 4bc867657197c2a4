import { extendSelection, NOTHING_SELECTED, toggleSelection } from './selection.ts';
import type { DataTableProps } from './table-props.ts';

type SelectMode = 'toggle' | 'extend' | 'all';

/** What can be done to rows by index, whether by key or by pointer. */
export interface RowActions {
  open: (index: number, inNewWindow: boolean) => void;
  select: (index: number, mode: SelectMode) => void;
  clearSelection: () => void;
  /** Closes the panel, else empties the selection; false when there was neither. */
  escape: () => boolean;
}

export function rowActions<Row>(props: DataTableProps<Row>): RowActions {
  const { source, selection } = props;
  const keyAt = (index: number): string | undefined => {
    const row = source.rowAt(index);
    return row && props.rowKey(row);
  };
  const clearSelection = (): void => selection?.onChange(NOTHING_SELECTED);
  return {
    open: (index, inNewWindow) => {
      const row = source.rowAt(index);
      if (!row) return;
      if (inNewWindow && props.rowHref) window.open(props.rowHref(row), '_blank', 'noopener');
      else props.onOpen?.(row);
    },
    select: (index, mode) => {
      if (!selection) return;
      const { value, onChange } = selection;
      const key = keyAt(index);
      if (mode === 'extend') onChange(extendSelection(value, index, keyAt));
      else if (mode === 'all') onChange(extendSelection({ ...value, anchor: 0 }, (source.total ?? 0) - 1, keyAt));
      else if (key !== undefined) onChange(toggleSelection(value, index, key));
    },
    clearSelection,
    escape: () => {
      if (props.openKey !== undefined) props.onClose?.();
      else if (selection && selection.value.keys.size > 0) clearSelection();
      else return false;
      return true;
    },
  };
}

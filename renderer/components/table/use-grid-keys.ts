import { type KeyboardEvent, useState } from 'react';
import { isTyping } from '../../lib/shortcuts.ts';

/** Row -1 is the header. */
export interface ActiveCell {
  row: number;
  column: number;
}

interface GridKeysOptions {
  total: number;
  columnCount: number;
  pageRows: () => number;
  scrollTo: (row: number) => void;
  onMove: (row: number) => void;
  onOpen: (row: number, inNewWindow: boolean) => void;
  onHeader: (column: number) => void;
  onSelect: (row: number, mode: 'toggle' | 'extend' | 'all') => void;
  onEscape: () => boolean;
}

/** Rows moved by a key, or undefined when the key does not move. */
function targetRow(event: KeyboardEvent, row: number, total: number, page: number): number | undefined {
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (event.key === 'ArrowDown' || (plain && event.key === 'j')) return row + 1;
  if (event.key === 'ArrowUp' || (plain && event.key === 'k')) return row - 1;
  if (event.key === 'PageDown') return row + page;
  if (event.key === 'PageUp') return Math.max(row - page, 0);
  if (event.key === 'Home') return 0;
  if (event.key === 'End') return total - 1;
  return undefined;
}

/** The keyboard of a table: one tab stop, the arrows do the rest. */
export function useGridKeys(options: GridKeysOptions) {
  const [active, setActive] = useState<ActiveCell>({ row: 0, column: 0 });
  const row = Math.min(active.row, options.total - 1);

  const move = (to: number, extend: boolean): void => {
    const next = Math.min(Math.max(to, -1), options.total - 1);
    setActive({ ...active, row: next });
    if (next < 0) return;
    options.scrollTo(next);
    if (extend) options.onSelect(next, 'extend');
    options.onMove(next);
  };

  const act = (event: KeyboardEvent): boolean => {
    if (event.key === 'Enter') {
      if (row < 0) options.onHeader(active.column);
      else options.onOpen(row, event.ctrlKey || event.metaKey);
      return true;
    }
    if (event.key === ' ' && row >= 0) options.onSelect(row, 'toggle');
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) options.onSelect(row, 'all');
    else if (event.key === 'Escape') return options.onEscape();
    else return false;
    return true;
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || isTyping(event.target) || event.target !== event.currentTarget) return;
    const side = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const to = targetRow(event, row, options.total, options.pageRows());
    if (to !== undefined) move(to, event.shiftKey && event.key.startsWith('Arrow'));
    else if (side !== 0 && row < 0) {
      setActive({ row, column: Math.min(Math.max(active.column + side, 0), options.columnCount - 1) });
    } else if (!act(event)) return;
    event.preventDefault();
  };

  return {
    active: { row, column: active.column },
    setActiveRow: (next: number) => setActive({ ...active, row: next }),
    onKeyDown,
  };
}

import { useLayoutEffect, useState } from 'react';
import type { LaidColumn } from './columns.ts';

/** One long text does not take the room of all other columns. */
const MOST = 360;

export type ContentWidths = ReadonlyMap<string, number>;

/** The width that a cell would need to show all of its content. */
function contentWidth(cell: Element): number {
  let width = 0;
  if (cell.children.length === 0) {
    const range = document.createRange();
    range.selectNodeContents(cell);
    width = range.getBoundingClientRect().width;
  }
  for (const child of cell.children) width += child.getBoundingClientRect().width;
  // What shortened texts hide.
  for (const part of cell.querySelectorAll('*')) {
    if (part.clientWidth > 0) width += Math.max(part.scrollWidth - part.clientWidth, 0);
  }
  return width;
}

function measure(grid: Element, columns: readonly LaidColumn<never>[]): Map<string, number> {
  const widths = new Map<string, number>();
  for (const row of grid.querySelectorAll('[role=row]')) {
    const cells = [...row.querySelectorAll(':scope > [data-column]')];
    cells.forEach((cell, index) => {
      const id = columns[index]?.id;
      if (id !== undefined) widths.set(id, Math.max(widths.get(id) ?? 0, Math.ceil(contentWidth(cell))));
    });
  }
  for (const [id, width] of widths) widths.set(id, Math.min(width, MOST));
  return widths;
}

/**
 * The widths that the columns need for the rows in view, measured once, before the first rows are painted: columns do not
 * move while a list is read. Undefined until then.
 */
export function useContentWidths(
  scroller: { current: HTMLElement | null },
  columns: readonly LaidColumn<never>[],
  hasRows: boolean,
): ContentWidths | undefined {
  const [measured, setMeasured] = useState<{ of: string; widths: ContentWidths }>();
  const of = columns.map(({ id }) => id).join(' ');
  useLayoutEffect(() => {
    if (hasRows && measured?.of !== of && scroller.current)
      setMeasured({ of, widths: measure(scroller.current, columns) });
  });
  return measured?.widths;
}

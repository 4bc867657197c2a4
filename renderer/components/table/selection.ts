/** Keys of selected rows, with the row a Shift selection starts from. */
export interface Selection {
  keys: ReadonlySet<string>;
  anchor: number;
}

export const NOTHING_SELECTED: Selection = { keys: new Set(), anchor: 0 };

/** Adds the rows between the anchor and `to`; rows that are not loaded are left out. */
export function extendSelection(old: Selection, to: number, keyAt: (index: number) => string | undefined): Selection {
  const keys = new Set(old.keys);
  for (let index = Math.min(old.anchor, to); index <= Math.max(old.anchor, to); index += 1) {
    const key = keyAt(index);
    if (key !== undefined) keys.add(key);
  }
  return { keys, anchor: old.anchor };
}

export function toggleSelection(old: Selection, index: number, key: string): Selection {
  const keys = new Set(old.keys);
  if (!keys.delete(key)) keys.add(key);
  return { keys, anchor: index };
}

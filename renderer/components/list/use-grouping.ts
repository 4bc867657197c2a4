import { useState } from 'react';
import { KEY_MAP } from '../../lib/key-map.ts';
import { readStored, writeStored } from '../../lib/stored.ts';
import { useCommands } from '../use-commands.ts';

type By = 'integration' | 'status';

interface Stored {
  by?: By;
  /** Values of the collapsed groups. */
  collapsed: Partial<Record<By, string[]>>;
}

/** By what a list is grouped, and which groups are collapsed; stored per list. */
export interface Grouping {
  by: By | undefined;
  setBy: (by: By | undefined) => void;
  collapsed: readonly string[];
  setCollapsed: (values: readonly string[]) => void;
}

export function useGrouping(listId: string): Grouping {
  const name = `groups.${listId}`;
  const [{ by, collapsed }, setStored] = useState(() => readStored<Stored>(name, { collapsed: {} }));
  const keep = (next: Stored): void => {
    setStored(next);
    writeStored(name, next);
  };
  const setBy = (next: By | undefined): void => keep({ ...(next && { by: next }), collapsed });
  useCommands([
    {
      ...KEY_MAP.group,
      run: () => setBy(by === undefined ? 'integration' : by === 'integration' ? 'status' : undefined),
    },
  ]);
  return {
    by,
    setBy,
    collapsed: (by && collapsed[by]) ?? [],
    setCollapsed: (values) => by && keep({ by, collapsed: { ...collapsed, [by]: [...values] } }),
  };
}

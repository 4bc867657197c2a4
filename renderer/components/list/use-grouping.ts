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

/** `isOffered` is false where the list has rows of one group only. */
export function useGrouping(listId: string, isOffered = true): Grouping {
  const name = `groups.${listId}`;
  const [{ by: chosen, collapsed }, setStored] = useState(() => readStored<Stored>(name, { collapsed: {} }));
  const by = isOffered ? chosen : undefined;
  const keep = (stored: Stored): void => {
    setStored(stored);
    writeStored(name, stored);
  };
  const setBy = (chosenNow: By | undefined): void => keep({ ...(chosenNow && { by: chosenNow }), collapsed });
  const next = by === undefined ? 'integration' : by === 'integration' ? 'status' : undefined;
  useCommands(isOffered ? [{ ...KEY_MAP.group, run: () => setBy(next) }] : []);
  return {
    by,
    setBy,
    collapsed: (by && collapsed[by]) ?? [],
    setCollapsed: (values) => by && keep({ by, collapsed: { ...collapsed, [by]: [...values] } }),
  };
}

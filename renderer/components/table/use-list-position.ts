import { useEffectEvent, useLayoutEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { readTabValue, writeTabValue } from '../../lib/stored.ts';

/** The position of a person in a list when they left it. */
export interface ListPosition {
  /** First visible row, by index and by key: its index may change meanwhile. */
  first: number;
  firstKey: string | undefined;
  active: { row: number; column: number };
  hadFocus: boolean;
}

const STORED_AS = 'places';
const MAX_KEPT = 50;

/** By history entry of the browser; a reload keeps them, another tab has its own. */
const readPositions = (): Record<string, ListPosition> => readTabValue(STORED_AS, {});

/** The stored position in this list when the person returns to it; `keep` supplies it when they leave. */
export function useListPosition(label: string, keep: () => ListPosition | undefined): ListPosition | undefined {
  const id = `${useLocation().key} ${label}`;
  const [saved] = useState(() => readPositions()[id]);
  const save = useEffectEvent((): void => {
    const now = keep();
    if (!now) return;
    const { [id]: _, ...others } = readPositions();
    writeTabValue(STORED_AS, Object.fromEntries([...Object.entries(others), [id, now] as const].slice(-MAX_KEPT)));
  });
  // Before the page unmounts, so that the focus can still be read.
  useLayoutEffect(() => {
    addEventListener('pagehide', save);
    return () => {
      removeEventListener('pagehide', save);
      save();
    };
  }, []);
  return saved;
}

import { useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';

/** The position of a person in a list when they left it. */
export interface ListPosition {
  /** First visible row, by index and by key: its index may change meanwhile. */
  first: number;
  firstKey: string | undefined;
  active: { row: number; column: number };
  hadFocus: boolean;
}

const STORED_AS = 'homeport.places';
const MAX_KEPT = 50;

/** By history entry of the browser; a reload keeps them, another tab has its own. */
function readPositions(): Record<string, ListPosition> {
  try {
    return JSON.parse(sessionStorage.getItem(STORED_AS) ?? '{}') as Record<string, ListPosition>;
  } catch {
    // Storage may be switched off: lists then start at the top.
    return {};
  }
}

/** The stored position in this list when the person returns to it; `keep` supplies it when they leave. */
export function useListPosition(label: string, keep: () => ListPosition | undefined): ListPosition | undefined {
  const id = `${useLocation().key} ${label}`;
  const [saved] = useState(() => readPositions()[id]);
  const latest = useRef({ id, keep });
  latest.current = { id, keep };
  // Before the page unmounts, so that the focus can still be read.
  useLayoutEffect(() => {
    const save = (): void => {
      const now = latest.current.keep();
      if (!now) return;
      const { [latest.current.id]: _, ...others } = readPositions();
      const kept = [...Object.entries(others), [latest.current.id, now] as const].slice(-MAX_KEPT);
      try {
        sessionStorage.setItem(STORED_AS, JSON.stringify(Object.fromEntries(kept)));
      } catch {
        // Storage may be switched off, as above.
      }
    };
    addEventListener('pagehide', save);
    return () => {
      removeEventListener('pagehide', save);
      save();
    };
  }, []);
  return saved;
}

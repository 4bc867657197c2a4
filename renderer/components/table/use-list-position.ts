import { useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';

/** Where somebody was in a list when they left it. */
export interface ListPosition {
  /** First row in sight, by index and by key: it may have moved meanwhile. */
  first: number;
  firstKey: string | undefined;
  active: { row: number; column: number };
  hadFocus: boolean;
}

const STORED_AS = 'homeport.places';
const MOST_KEPT = 50;

/** By entry of the browser's history; a reload keeps them, another tab has its own. */
function readPositions(): Record<string, ListPosition> {
  try {
    return JSON.parse(sessionStorage.getItem(STORED_AS) ?? '{}') as Record<string, ListPosition>;
  } catch {
    // Storage may be switched off: lists then begin at their top.
    return {};
  }
}

/** The position in this list when the person comes back to it; `keep` is asked when they leave. */
export function useListPosition(label: string, keep: () => ListPosition | undefined): ListPosition | undefined {
  const id = `${useLocation().key} ${label}`;
  const [saved] = useState(() => readPositions()[id]);
  const latest = useRef({ id, keep });
  latest.current = { id, keep };
  // Before the page is taken down, so that it can still be asked where the focus is.
  useLayoutEffect(() => {
    const save = (): void => {
      const now = latest.current.keep();
      if (!now) return;
      const { [latest.current.id]: _, ...others } = readPositions();
      const kept = [...Object.entries(others), [latest.current.id, now] as const].slice(-MOST_KEPT);
      try {
        sessionStorage.setItem(STORED_AS, JSON.stringify(Object.fromEntries(kept)));
      } catch {
        // As above.
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

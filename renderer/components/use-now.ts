import { useSyncExternalStore } from 'react';

const TICK_MS = 5000;

function subscribe(changed: () => void): () => void {
  const timer = setInterval(() => {
    if (!document.hidden) changed();
  }, TICK_MS);
  return () => clearInterval(timer);
}

/** The time in milliseconds, updated every five seconds while the page is visible. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => Math.ceil(Date.now() / TICK_MS) * TICK_MS);

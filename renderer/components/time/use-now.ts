import { useSyncExternalStore } from 'react';

const TICK_MS = 5000;

/** One timer for all times on the page: they change together, in one render. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  if (document.hidden) return;
  for (const changed of listeners) changed();
}

export function subscribeToNow(changed: () => void): () => void {
  listeners.add(changed);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(changed);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time in milliseconds, updated every five seconds while the page is visible. */
export const useNow = (): number =>
  useSyncExternalStore(subscribeToNow, () => Math.ceil(Date.now() / TICK_MS) * TICK_MS);

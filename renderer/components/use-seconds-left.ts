import { useEffect, useState } from 'react';

const TICK_MS = 250;

/** Whole seconds until then, counting down to 0. */
export function useSecondsLeft(until: string): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return Math.max(Math.ceil((Date.parse(until) - now) / 1000), 0);
}

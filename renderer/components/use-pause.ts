import { useEffect, useState } from 'react';

/** True for the first moments: a click or key that was meant for what stood there before is not for this. */
export function usePause(forMs: number): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), forMs);
    return () => clearTimeout(timer);
  }, [forMs]);
  return !isOver;
}

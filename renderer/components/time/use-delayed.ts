import { useEffect, useState } from 'react';

/** True once `isOn` has been true for `delayMs`: short waits show no placeholder. */
export function useDelayed(isOn: boolean, delayMs: number): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!isOn) return setLate(false);
    const timer = setTimeout(() => setLate(true), delayMs);
    return () => clearTimeout(timer);
  }, [isOn, delayMs]);
  return late && isOn;
}

import { useEffect, useState } from 'react';

const SHOWN_MS = 30_000;

/** A secret that hides after 30 s or when the window loses the focus; undefined while it is hidden. */
export function useShownSecret(): [value: string | undefined, show: (value: string | undefined) => void] {
  const [value, setValue] = useState<string>();
  useEffect(() => {
    if (value === undefined) return;
    const hide = (): void => setValue(undefined);
    const timer = setTimeout(hide, SHOWN_MS);
    window.addEventListener('blur', hide);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('blur', hide);
    };
  }, [value]);
  return [value, setValue];
}

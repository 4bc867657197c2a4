import { type RefObject, useEffect } from 'react';

/** The list beside a part takes the focus when that part goes away with the focus in it. */
export function useListFocus(part: RefObject<HTMLElement | null>, isShown = true): void {
  useEffect(() => {
    const around = isShown ? part.current?.parentElement : undefined;
    return () => {
      if (document.activeElement === document.body)
        around?.querySelector<HTMLElement>('[role="grid"]')?.focus({ preventScroll: true });
    };
  }, [part, isShown]);
}

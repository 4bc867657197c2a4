import { type RefObject, useEffect } from 'react';
import { focusIfLost } from './focus-if-lost.ts';

/** The list beside a part takes the focus when that part goes away with the focus in it. */
export function useListFocus(part: RefObject<HTMLElement | null>, isShown = true): void {
  useEffect(() => {
    const around = isShown ? part.current?.parentElement?.closest(':has([role="grid"])') : undefined;
    return () => focusIfLost(around?.querySelector<HTMLElement>('[role="grid"]'));
  }, [part, isShown]);
}

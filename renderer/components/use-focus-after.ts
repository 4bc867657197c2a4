import { useEffect, useRef } from 'react';
import { focusIfLost } from './focus-if-lost.ts';

/**
 * Gives the focus to `target` when something ends whose end removes the focused element: `isOn` was true and is false.
 * Runs after the render, so the target may be mounted by it; the focus stays where somebody has put it meanwhile.
 */
export function useFocusAfter(isOn: boolean, target: () => HTMLElement | null | undefined): void {
  const wasOn = useRef(isOn);
  useEffect(() => {
    if (wasOn.current && !isOn) focusIfLost(target());
    wasOn.current = isOn;
  });
}

import type { MouseEvent } from 'react';

/**
 * Does it at the first click of a double click only: the second one would run it again, or press the button that took its
 * place. Enter and Space count as first clicks.
 */
export const firstClick =
  (act: () => void) =>
  (event: MouseEvent): void => {
    if (event.detail <= 1) act();
  };

/** Focuses an element when nothing has the focus, as after the focused element was removed or disabled. */
export function focusIfLost(element: HTMLElement | null | undefined): void {
  if (document.activeElement === document.body) element?.focus({ preventScroll: true });
}

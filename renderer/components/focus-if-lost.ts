const CONTROLS = 'a,button:enabled,input:enabled,textarea:enabled';

/** Focuses an element when nothing has the focus, as after the focused element was removed or disabled. */
export function focusIfLost(element: HTMLElement | null | undefined): void {
  if (document.activeElement === document.body) element?.focus({ preventScroll: true });
}

/** The focused element. A menu closes when one of its items opens a dialog or a panel, so its button stands for the item. */
export function focusedOutsideMenus(): HTMLElement | null {
  const focused = document.activeElement;
  const menuButton = focused?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const element = menuButton ? document.getElementById(menuButton) : focused;
  return element instanceof HTMLElement ? element : null;
}

/**
 * Remembers the focused element. The returned function gives the focus to the first control that is left near it, if the
 * element was removed meanwhile.
 */
export function focusNearby(): () => void {
  const before = focusedOutsideMenus();
  const places = ['[role=grid]', 'ul', 'section,aside'].map((kind) => before?.closest<HTMLElement>(kind));
  return () => {
    if (!before || before.isConnected) return;
    for (const place of places) {
      const control = place?.role === 'grid' ? place : place?.querySelector<HTMLElement>(CONTROLS);
      if (control?.isConnected) return control.focus({ preventScroll: true });
    }
  };
}

const CONTROLS = 'a,button:enabled,input:enabled,textarea:enabled';

/** Focuses an element when nothing has the focus, as after the focused element was removed or disabled. */
export function focusIfLost(element: HTMLElement | null | undefined): void {
  if (document.activeElement === document.body) element?.focus({ preventScroll: true });
}

/** The button of the menu that has the focus, or had it before nothing had it. */
let lastMenuButton: HTMLElement | null = null;
document.addEventListener('focusin', ({ target }) => {
  lastMenuButton = target instanceof Element ? menuButtonOf(target) : null;
});

function menuButtonOf(element: Element): HTMLElement | null {
  return document.getElementById(element.closest('[role="menu"]')?.getAttribute('aria-labelledby') ?? '');
}

/**
 * The focused element. A menu closes when one of its items opens a dialog or a panel, so its button stands for the item, also
 * when the dialog is loaded after the menu has gone.
 */
export function focusedOutsideMenus(): HTMLElement | null {
  if (lastMenuButton) return lastMenuButton;
  return document.activeElement instanceof HTMLElement ? document.activeElement : null;
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

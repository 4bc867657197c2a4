/**
 * Gives the focus to the list that a search field narrows, so that the keys of the list work at once. Returns what has the
 * focus; undefined without a list.
 */
export function enterList(field: HTMLElement | null): HTMLElement | undefined {
  for (let around = field?.parentElement; around; around = around.parentElement) {
    const list = around.querySelector<HTMLElement>('[role="grid"], [data-found]');
    if (!list) continue;
    // In a grid of cards the current card takes the focus, not the grid; in a plain list the first thing to press.
    const target = list.hasAttribute('tabindex') ? list : list.querySelector<HTMLElement>('[tabindex="0"], a, button');
    target?.focus({ preventScroll: true });
    return target ?? undefined;
  }
  return undefined;
}

/** Enter and ArrowDown in a search field: to the first row of its list. Returns false without a list. */
export function goToFirstRow(field: HTMLElement | null): boolean {
  const entered = enterList(field);
  // The list's own key for its first row: another row may have been the active one before.
  entered?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', code: 'Home', bubbles: true }));
  return entered !== undefined;
}

/** Takes the focus out of a search field: to its list; without a list to the heading. */
export function leaveField(field: HTMLElement | null): void {
  if (enterList(field)) return;
  const heading = document.querySelector<HTMLElement>('main h1[tabindex]');
  if (heading) heading.focus({ preventScroll: true });
  else field?.blur();
}

/**
 * Gives the focus to the list that a search field narrows, so that the keys of the list work at once. Returns what has the
 * focus; undefined without a list.
 */
export function enterList(field: HTMLElement | null): HTMLElement | undefined {
  for (let around = field?.parentElement; around; around = around.parentElement) {
    const grid = around.querySelector<HTMLElement>('[role="grid"]');
    if (!grid) continue;
    // In a grid of cards the current card takes the focus, not the grid.
    const target = grid.hasAttribute('tabindex') ? grid : grid.querySelector<HTMLElement>('[tabindex="0"]');
    target?.focus({ preventScroll: true });
    return target ?? undefined;
  }
  return undefined;
}

/** Takes the focus out of a search field: to its list; without a list to the heading. */
export function leaveField(field: HTMLElement | null): void {
  if (enterList(field)) return;
  const heading = document.querySelector<HTMLElement>('main h1[tabindex]');
  if (heading) heading.focus({ preventScroll: true });
  else field?.blur();
}

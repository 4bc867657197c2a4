/** Takes the focus out of a search field: to the list that it narrows, so that the keys of the list work at once; without a list to the heading. */
export function leaveField(field: HTMLElement | null): void {
  for (let around = field?.parentElement; around; around = around.parentElement) {
    const grid = around.querySelector<HTMLElement>('[role="grid"]');
    if (!grid) continue;
    grid.focus({ preventScroll: true });
    return;
  }
  const heading = document.querySelector<HTMLElement>('main h1[tabindex]');
  if (heading) heading.focus({ preventScroll: true });
  else field?.blur();
}

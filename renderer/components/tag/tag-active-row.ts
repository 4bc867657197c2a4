import type { ColumnLayout } from '../table/use-column-layout.ts';

/** Frames to wait for the column and its code. */
const MAX_FRAMES = 120;

/** Opens the field for a new tag in the row with the keyboard focus, and shows the column of the tags for it. */
export function tagActiveRow<Row>({ visible, toggle }: Pick<ColumnLayout<Row>, 'visible' | 'toggle'>): void {
  if (!visible.some(({ id }) => id === 'tags')) toggle('tags');
  const press = (frames: number): void => {
    const button = document.querySelector<HTMLElement>('[role=row][data-active] [data-add-tag]');
    if (button) button.click();
    else if (frames > 0) requestAnimationFrame(() => press(frames - 1));
  };
  press(MAX_FRAMES);
}

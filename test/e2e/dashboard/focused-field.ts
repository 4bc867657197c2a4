import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Waits until a field has the focus: what opens with a press takes it a moment later. */
export const waitForFocusedField = (page: Page): Promise<void> =>
  expect
    .poll(() => page.evaluate(() => document.activeElement?.matches('input, textarea, [contenteditable="true"]')), {
      message: 'a field has the focus',
    })
    .toBe(true);

import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Waits until a field has the focus, which happens a moment after it was opened. */
export const waitForFocusedField = (page: Page): Promise<void> =>
  expect
    .poll(() => page.evaluate(() => document.activeElement?.matches('input, textarea, [contenteditable="true"]')), {
      message: 'a field has the focus',
    })
    .toBe(true);

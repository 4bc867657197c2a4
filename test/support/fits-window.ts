import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The number of pixels by which the page, its content or its dialog can be scrolled sideways. */
const sidewaysPixels = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const parts = [document.documentElement, ...document.querySelectorAll('main, [role="dialog"]')];
    return Math.max(...parts.map((part) => part.scrollWidth - part.clientWidth));
  });

/** Asserts that nothing overflows sideways; a page that was just made narrow needs a moment for it. */
export const expectToFitWindow = (page: Page, what = ''): Promise<void> =>
  expect.poll(() => sidewaysPixels(page), { message: `${what} fits the window` }).toBe(0);

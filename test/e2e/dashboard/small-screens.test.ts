import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DashboardFixture } from '../../support/dashboard-fixture-server.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { type DashboardBrowser, startDashboardBrowser } from './dashboard-browser.ts';
import { SCREENS, screenAddress, untilFilled } from './dashboard-screens.ts';

let browser: DashboardBrowser;
let page: Page;
let fixture: DashboardFixture;
beforeAll(async () => {
  browser = await startDashboardBrowser();
  ({ page, fixture } = await browser.open('/app/dev/logs', { width: 320 }));
  await page.emulateMedia({ reducedMotion: 'reduce' });
});
afterAll(() => browser.stop());

/** 1280 x 800 at 400 % and at 200 % (WCAG 1.4.10, 1.4.4). */
const SIZES = [
  { width: 320, height: 640 },
  { width: 640, height: 400 },
];

/** Controls that lie beyond the side of the window or of what clips them, where nothing scrolls to them. */
const cutControls = (): Promise<string[]> =>
  page.evaluate(() => {
    const edgesOf = (element: Element): [left: number, right: number] => {
      for (let around = element.parentElement; around; around = around.parentElement) {
        const { overflowX } = getComputedStyle(around);
        if (overflowX === 'visible') continue;
        if ((overflowX === 'auto' || overflowX === 'scroll') && around.localName !== 'main')
          return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
        const { left, right } = around.getBoundingClientRect();
        return [left, right];
      }
      return [0, innerWidth];
    };
    return [...document.querySelectorAll('a, button, input, select, textarea, label')].flatMap((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      const [least, most] = edgesOf(element);
      // The picture of a small button is 4 px smaller than the button on each side.
      const isCut = width > 1 && element.checkVisibility() && (left < least - 4 || right > most + 4);
      return isCut ? [`${element.localName} ${element.ariaLabel ?? element.textContent}`] : [];
    });
  });

const animations = (): Promise<number> => page.evaluate(() => document.getAnimations().length);

describe('a small window, or a large zoom', () => {
  it.each(SCREENS)('has room for all of, and without motion nothing moves: %s', async (_name, path) => {
    for (const [index, size] of SIZES.entries()) {
      await page.setViewportSize(size);
      if (index === 0) await page.goto(screenAddress(fixture, path));
      await untilFilled(page);
      await expect.poll(animations, { message: 'movements' }).toBe(0);

      await expectToFitWindow(page, `${size.width} x ${size.height}`);
      await expect
        .poll(cutControls, { message: `controls that are cut off at ${size.width} x ${size.height}` })
        .toEqual([]);
    }
  });
});

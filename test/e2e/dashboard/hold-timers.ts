import type { Page } from 'playwright-core';

declare global {
  interface Window {
    endHeldTimers(): void;
  }
}

/**
 * From now on, a timer of the page with exactly this delay waits until the test ends it, whatever the speed of the
 * machine: a momentary state stays visible.
 */
export async function holdTimers(page: Page, ms: number): Promise<() => Promise<void>> {
  await page.evaluate((length) => {
    const original = window.setTimeout.bind(window);
    const held: Array<() => void> = [];
    Object.assign(window, {
      setTimeout: (run: () => void, after?: number) => (after === length ? held.push(run) : original(run, after)),
      endHeldTimers: () => {
        Object.assign(window, { setTimeout: original });
        for (const run of held) run();
      },
    });
  }, ms);
  return () => page.evaluate(() => window.endHeldTimers());
}

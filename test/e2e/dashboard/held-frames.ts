import type { Page } from 'playwright-core';

/** As in a hidden tab: no frame is drawn until the page's `window.show()` is called. */
export async function holdFrames(page: Page): Promise<void> {
  await page.evaluate(() => {
    const original = window.requestAnimationFrame.bind(window);
    const held: FrameRequestCallback[] = [];
    const show = (): void => {
      Object.assign(window, { requestAnimationFrame: original });
      for (const draw of held) original(draw);
    };
    Object.assign(window, { requestAnimationFrame: (draw: FrameRequestCallback) => held.push(draw), show });
  });
}

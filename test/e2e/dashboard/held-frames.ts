import type { Page } from 'playwright-core';

/** As in a hidden tab: no frame is drawn until the page's `window.show()` is called; `window.showNow()` does not wait for the next frame. */
export async function holdFrames(page: Page): Promise<void> {
  await page.evaluate(() => {
    const original = window.requestAnimationFrame.bind(window);
    const held: FrameRequestCallback[] = [];
    const show = (): void => {
      Object.assign(window, { requestAnimationFrame: original });
      for (const draw of held) original(draw);
    };
    const showNow = (): void => {
      Object.assign(window, { requestAnimationFrame: original });
      for (const draw of held) draw(performance.now());
    };
    Object.assign(window, { requestAnimationFrame: (draw: FrameRequestCallback) => held.push(draw), show, showNow });
  });
}

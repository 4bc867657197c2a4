import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { BUSY_PARTS, SCREENS, screenAddress, untilFilled } from '../e2e/dashboard/dashboard-screens.ts';
import { BLANK_PATH, startDashboardFixture } from '../support/dashboard-fixture-server.ts';
import { clearedPage, launchChromium, openContext } from '../support/launch-chromium.ts';
import type { PictureView } from './key-screens.ts';

/** The time of every picture, so that "3 min ago" stays the same. */
const MOMENT = Date.parse('2026-06-02T09:30:00.000Z');
/** Pages show their own address; the fixture's port changes every time. */
const SHOWN_URL = 'http://127.0.0.1:3003';
const HEIGHT = 800;
/** React shows a loaded part up to 300 ms after its surroundings, without any event before. */
const LATE_PARTS_MS = 400;
/** A screen that still changes after this many pictures does not settle. */
const MAX_TRIES = 20;
/** Other influences on the look of letters: the settings of the machine's fonts and of its display. */
const DRAWING_FLAGS = [
  '--font-render-hinting=none',
  '--disable-lcd-text',
  '--force-color-profile=srgb',
  '--force-device-scale-factor=1',
];

export interface Drawing {
  /** Version of the browser. */
  chromium: string;
  /** The screen as PNG. */
  draw: (view: PictureView) => Promise<Buffer>;
  stop: () => Promise<void>;
}

/** A browser on the built dashboard over the fixture server, with a fixed clock. */
export async function startDrawing(): Promise<Drawing> {
  const fixture = await startDashboardFixture({ now: MOMENT });
  const { port } = new URL(fixture.url);
  const browser = await launchChromium([...DRAWING_FLAGS, `--host-resolver-rules=MAP 127.0.0.1 127.0.0.1:${port}`]);
  const context = await openContext(browser, {
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    // Playwright itself adds the style that hides the caret.
    bypassCSP: true,
    reducedMotion: 'reduce',
  });
  await context.clock.setFixedTime(MOMENT);
  const hub = { ...fixture, url: SHOWN_URL };
  const underWay = countRequests(context);
  let loaded: { page: Page; key: string } | undefined;
  return {
    chromium: browser.version(),
    draw: async ({ screen, width, scheme }) => {
      const path = SCREENS.find(([name]) => name === screen)?.[1];
      if (path === undefined) throw new Error(`There is no screen "${screen}" in dashboard-screens.ts.`);
      const key = `${screen} ${width}`;
      if (loaded?.key !== key) {
        const page = await clearedPage(context, SHOWN_URL + BLANK_PATH, { width, height: HEIGHT, scheme });
        await page.emulateMedia({ reducedMotion: 'reduce' });
        await page.goto(screenAddress(hub, path));
        await whileQuiet(page, underWay);
        await page.evaluate(() => document.fonts.ready.then(() => undefined));
        loaded = { page, key };
      }
      // The theme follows the system's, so that one load serves both.
      await loaded.page.emulateMedia({ colorScheme: scheme });
      return atRest(loaded.page, underWay);
    },
    stop: async () => {
      await browser.close();
      await fixture.stop();
    },
  };
}

/** Counts the requests without a response; event streams, which never complete, are left out. */
function countRequests(context: BrowserContext): () => number {
  const open = new Set<object>();
  context.on('request', (request) => {
    if (!request.url().includes('/api/v1/events')) open.add(request);
  });
  context.on('requestfinished', (request) => open.delete(request));
  context.on('requestfailed', (request) => open.delete(request));
  return () => open.size;
}

/** Resolves when no request has been running for as long as parts may be late. */
async function whileQuiet(page: Page, underWay: () => number): Promise<void> {
  let isQuiet = false;
  while (!isQuiet) {
    await untilFilled(page);
    isQuiet = underWay() === 0;
    await sleep(LATE_PARTS_MS);
    isQuiet &&= underWay() === 0 && (await page.locator(BUSY_PARTS).count()) === 0;
  }
}

/** The page once two consecutive pictures are the same. */
async function atRest(page: Page, underWay: () => number): Promise<Buffer> {
  let before: Buffer | undefined;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const now = await page.screenshot({ animations: 'disabled', caret: 'hide', scale: 'css' });
    if (before?.equals(now) && underWay() === 0) return now;
    before = now;
  }
  throw new Error(`${page.url()} does not come to rest.`);
}

import type { BrowserContext, CDPSession, Page } from 'playwright-core';

/** Limits of ui.md 16.1, in pixels per second and milliseconds. */
const SCROLL = { speed: 4_000, forMs: 5_000 };

export interface ScrollFigures {
  /** Milliseconds between two frames. */
  p95: number;
  longest: number;
  /** Longest time in which a visible row was empty, in ms. */
  blank: number;
}

const gridOf = (label: string): string => `[role=grid][aria-label="${label}"]`;

export interface OpenedList {
  page: Page;
  /** Milliseconds from the start of the navigation to the frame that shows the first row with content. */
  firstRowMs: number;
}

const WATCH_EVERY_MS = 50;

/** Opens a list in a window of its own, without a stored position and with an empty cache. */
export async function openList(context: BrowserContext, url: string, label: string): Promise<OpenedList> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  await session.detach();
  await page.addInitScript(
    noteFirstRow,
    `${gridOf(label)} [role=row][aria-rowindex="2"] [role=gridcell] :not([class*=ghost])`,
  );
  await page.goto(url, { waitUntil: 'commit' });
  const firstRow = await page.waitForFunction(() => (window as { firstRowMs?: number }).firstRowMs, undefined, {
    polling: WATCH_EVERY_MS,
  });
  return { page, firstRowMs: (await firstRow.jsonValue()) ?? Number.NaN };
}

/**
 * Runs in the page, before its own scripts: from outside, the time would include the tool's questions, which wait until
 * the page is idle.
 */
function noteFirstRow(selector: string): void {
  const observer = new MutationObserver(() => {
    if (!document.querySelector(selector)) return;
    observer.disconnect();
    // A task after the next frame: this frame is drawn then.
    requestAnimationFrame(() =>
      setTimeout(() => {
        (window as { firstRowMs?: number }).firstRowMs = performance.now();
      }),
    );
  });
  observer.observe(document, { childList: true, subtree: true });
}

/** Scrolls the list from its top at a steady speed and inspects every frame, without forcing a layout. */
export function measureScroll(page: Page, label: string): Promise<ScrollFigures> {
  return page.evaluate(
    async ({ selector, speed, forMs }) => {
      const grid = document.querySelector<HTMLElement>(selector);
      if (!grid) throw new Error(`there is no ${selector}`);
      const rowHeight = Number.parseFloat(
        grid.querySelector<HTMLElement>('[role=row][style*=transform]')?.style.height ?? '',
      );
      const inSight = Math.floor(grid.clientHeight / rowHeight) - 2;
      const frames: number[] = [];
      let blankSince: number | undefined;
      let blank = 0;
      const isBlank = (top: number): boolean => {
        const first = Math.ceil(top / rowHeight);
        const filled = new Set<number>();
        for (const row of grid.querySelectorAll('[role=row][style*=transform]'))
          if (!row.querySelector('[class*=ghost]')) filled.add(Number(row.getAttribute('aria-rowindex')) - 2);
        for (let index = first; index < first + inSight; index += 1) if (!filled.has(index)) return true;
        return false;
      };
      grid.scrollTop = 0;
      await new Promise((next) => requestAnimationFrame(next));
      const startedAt = await new Promise<number>((next) => requestAnimationFrame(next));
      for (let before = startedAt, top = 0; before - startedAt < forMs; ) {
        const now = await new Promise<number>((next) => requestAnimationFrame(next));
        frames.push(now - before);
        // The drawn rows belong to the position before this frame.
        if (!isBlank(top)) blankSince = undefined;
        else {
          blankSince ??= before;
          blank = Math.max(blank, now - blankSince);
        }
        top = ((now - startedAt) / 1000) * speed;
        grid.scrollTop = top;
        before = now;
      }
      frames.sort((a, b) => a - b);
      return { p95: frames[Math.floor(frames.length * 0.95)] ?? 0, longest: frames.at(-1) ?? 0, blank };
    },
    { selector: gridOf(label), ...SCROLL },
  );
}

/** Measures the frames of a page from now on; `end` returns the longest, in ms. */
export async function watchFrames(page: Page): Promise<{ end: () => Promise<number> }> {
  await page.evaluate(() => {
    let before = performance.now();
    const look = (): void => {
      const now = performance.now();
      const { benchLongest = 0 } = window as { benchLongest?: number };
      Object.assign(window, { benchLongest: Math.max(benchLongest, now - before) });
      before = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  return { end: () => page.evaluate(() => (window as { benchLongest?: number }).benchLongest ?? Number.NaN) };
}

/** Milliseconds from the key until the last row is visible with content. */
export async function timeJumpToEnd(page: Page, label: string): Promise<number> {
  await page.locator(gridOf(label)).focus();
  await page.keyboard.press('Home');
  await page.locator(`${gridOf(label)} [role=row][aria-rowindex="2"]`).waitFor();
  return timeKey(page, 'End', label, 'lastRow');
}

/** Milliseconds from a key that changes the list to its first rows with another length. */
export function timeChange(page: Page, key: string, label: string): Promise<number> {
  return timeKey(page, key, label, 'otherRows');
}

/** A key reaches the page on another channel than a script, so the script must be in place first. */
async function timeKey(page: Page, key: string, label: string, until: 'lastRow' | 'otherRows'): Promise<number> {
  await page.evaluate(
    ({ selector, what }) => {
      const before = document.querySelector(selector)?.getAttribute('aria-rowcount');
      const isThere = (): boolean => {
        const grid = document.querySelector(selector);
        const count = grid?.getAttribute('aria-rowcount');
        if (what === 'otherRows') return count !== before && grid?.getAttribute('aria-busy') === 'false';
        const row = grid?.querySelector(`[role=row][aria-rowindex="${count}"]`);
        return Boolean(row) && !row?.querySelector('[class*=ghost]');
      };
      const onKey = (): void => {
        const startedAt = performance.now();
        const look = (): void => {
          if (isThere()) Object.assign(window, { benchTook: performance.now() - startedAt });
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      };
      Object.assign(window, { benchTook: undefined });
      addEventListener('keydown', onKey, { capture: true, once: true });
    },
    { selector: gridOf(label), what: until },
  );
  await page.keyboard.press(key);
  const took = await page.waitForFunction(() => (window as { benchTook?: number }).benchTook);
  return (await took.jsonValue()) ?? Number.NaN;
}

/** Memory and processor time of one page, from the browser's own counters. */
export class PageMeter {
  readonly #session: CDPSession;
  readonly #page: Page;

  private constructor(page: Page, session: CDPSession) {
    this.#page = page;
    this.#session = session;
  }

  static async start(page: Page): Promise<PageMeter> {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    return new PageMeter(page, session);
  }

  /** Used JavaScript heap in MB, after a collection. */
  async heapMegabytes(): Promise<number> {
    await this.#session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.#session.send('Runtime.getHeapUsage');
    return usedSize / 1_048_576;
  }

  elementCount(): Promise<number> {
    return this.#page.evaluate(() => document.querySelectorAll('*').length);
  }

  /** Seconds that the page's main thread worked since it was opened. */
  async busySeconds(): Promise<number> {
    const { metrics } = await this.#session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  }
}

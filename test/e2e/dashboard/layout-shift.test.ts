// @module-tag slow
import type { Page, Route } from 'playwright-core';
import { describe, expect } from 'vitest';
import { nightlyEach } from '../../support/nightly-each.ts';
import { browserOfFile } from './dashboard-browser.ts';
import { SCREENS, untilFilled } from './dashboard-screens.ts';

/** The most that a screen may move while it loads; 0 is nothing, 1 the whole window by its own height. */
const MOST = 0.02;

const browser = browserOfFile();

const framesOf = (page: Page): Promise<void> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));

/** What moved, and how far, since the page was loaded; what follows a key or a click is not counted. */
const shiftsOf = (page: Page): Promise<{ sum: number; moved: string[] }> =>
  page.evaluate(async () => {
    const entries = await new Promise<PerformanceEntry[]>((done) => {
      const observer = new PerformanceObserver((list) => done(list.getEntries()));
      observer.observe({ type: 'layout-shift', buffered: true });
      requestAnimationFrame(() => requestAnimationFrame(() => done(observer.takeRecords())));
    });
    type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean; sources: Array<{ node: Node | null }> };
    const shifts = (entries as Shift[]).filter((one) => !one.hadRecentInput);
    const nameOf = (node: Node | null): string =>
      node instanceof Element
        ? `${node.localName}.${node.className} ${node.textContent?.slice(0, 40)}`
        : `${node?.textContent}`;
    return {
      sum: shifts.reduce((sum, { value }) => sum + value, 0),
      moved: shifts.map(
        ({ value, sources }) => `${value.toFixed(3)}: ${sources.map(({ node }) => nameOf(node)).join(' | ')}`,
      ),
    };
  });

/** A screen whose answers of the server arrive one after the other, each drawn before the next. */
async function openSlowly(path: string, width: number, next: (waiting: Route[]) => Route | undefined): Promise<Page> {
  const waiting: Route[] = [];
  const { page } = await browser.open(path, {
    width,
    prepare: (opened) =>
      opened.route('**/api/v1/**', (route) => {
        // The stream of events has no end.
        if (route.request().url().includes('/events')) return route.continue();
        waiting.push(route);
        return undefined;
      }),
  });
  let isFilled = false;
  const filled = untilFilled(page).then(() => {
    isFilled = true;
  });
  while (!isFilled || waiting.length > 0) {
    const route = next(waiting);
    if (route) {
      waiting.splice(waiting.indexOf(route), 1);
      await route.fulfill({ response: await route.fetch() });
    }
    await framesOf(page);
  }
  await filled;
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  return page;
}

type Order = readonly [which: string, width: number, next: (waiting: Route[]) => Route | undefined];
const ORDERS: readonly Order[] = [
  ['first', 1280, (waiting) => waiting[0]],
  ['last', 1280, (waiting) => waiting.at(-1)],
  ['first', 420, (waiting) => waiting[0]],
];

describe.each(ORDERS)('when the %s question of a screen %i wide is answered first, little moves', (_, width, next) => {
  nightlyEach(SCREENS, 40)('%s', async (path) => {
    const page = await openSlowly(path, width, next);
    const { sum, moved } = await shiftsOf(page);
    expect(moved.length > 0 && sum > MOST ? moved : []).toEqual([]);
  });
});

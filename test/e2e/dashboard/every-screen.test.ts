// @module-tag slow
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { readFocusOrders, writeFocusOrders } from '../../golden/dashboard/focus-orders.ts';
import type { DashboardFixture } from '../../support/dashboard-fixture-server.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { named, nightlyEach } from '../../support/nightly-each.ts';
import { browserOfFile } from './dashboard-browser.ts';
import { SCREENS, screenAddress, untilFilled } from './dashboard-screens.ts';
import { tabAround } from './tab-order.ts';

declare global {
  interface Window {
    axe: { run: (options: object) => Promise<AxeResult> };
  }
}

/** Rules of WCAG 2.2 AA and of earlier versions (ui.md 15). */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const SCHEMES = ['light', 'dark'] as const;

const browser = browserOfFile();
let axe: string;
beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
});

interface AxeResult {
  violations: Array<{ id: string; nodes: Array<{ html: string; target: unknown[] }> }>;
}

/** The dark theme differs only in colours, so only rules about colours are checked. */
const RULES = {
  light: { type: 'tag', values: TAGS },
  dark: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
};

/** The violations that axe finds, a line each: rule, place, element. */
async function violations(page: Page, scheme: (typeof SCHEMES)[number]): Promise<string[]> {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset['mantineColorScheme'])).toBe(scheme);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  // During a transition, colours are neither the old nor the new ones.
  await page.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => undefined))));
  const { violations: found } = await page.evaluate(
    // No rule of these needs the style sheets or the media that axe would load again: the screens play nothing.
    (runOnly) => window.axe.run({ runOnly, preload: false, resultTypes: ['violations'] }),
    RULES[scheme],
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, target }) => `${scheme} ${id}: ${target.join(' ')} ${html.slice(0, 160)}`),
  );
}

async function expectAccessible(page: Page): Promise<void> {
  await untilFilled(page);
  const all: string[] = [];
  for (const scheme of SCHEMES) all.push(...(await violations(page, scheme)));
  expect(all).toEqual([]);
}

/** 1280 x 800 at 400 % and at 200 % (WCAG 1.4.10, 1.4.4). */
const SIZES = [
  { width: 320, height: 640 },
  { width: 640, height: 400 },
];

/** Controls outside of the window or of a clipping container to which nothing can scroll. */
const cutControls = (page: Page): Promise<string[]> =>
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
      // The visible part of a small button is 4 px smaller than the button on each side.
      const isCut = width > 1 && element.checkVisibility() && (left < least - 4 || right > most + 4);
      return isCut ? [`${element.localName} ${element.ariaLabel ?? element.textContent}`] : [];
    });
  });

const animations = (page: Page): Promise<number> => page.evaluate(() => document.getAnimations().length);

/** One load for all checks; the small sizes come first, because a small screen is also opened in a small window. */
describe('every screen', () => {
  let page: Page;
  let fixture: DashboardFixture;
  let complaints: string[];
  const orders = new Map<string, string[]>();
  beforeAll(async () => {
    ({ page, fixture, complaints } = await browser.open('/app/dev/logs', { width: 320 }));
  });
  /** `UPDATE_GOLDEN=1` writes the orders again: a change is then reviewed as a diff of one file. */
  const isUpdate = process.env['UPDATE_GOLDEN'] === '1';
  const stored = readFocusOrders();
  afterAll(() => {
    if (!isUpdate) return;
    // A run of some screens keeps the orders of the others.
    const kept = SCREENS.map(([name]) => [name, orders.get(name) ?? stored.get(name) ?? []] as const);
    writeFocusOrders(new Map(kept));
  });

  const screens = SCREENS.map((screen) => [screen[0], screen] as const);
  nightlyEach(screens, 18)(
    'fits a small window or a large zoom, stands still without motion, satisfies axe, and Tab comes to everything in its order: %s',
    async ([name, path]) => {
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      for (const [index, size] of SIZES.entries()) {
        await page.setViewportSize(size);
        if (index === 0) await page.goto(screenAddress(fixture, path));
        await untilFilled(page);
        await expect.poll(() => animations(page), { message: 'movements' }).toBe(0);

        await expectToFitWindow(page, `${size.width} x ${size.height}`);
        await expect
          .poll(() => cutControls(page), { message: `controls that are cut off at ${size.width} x ${size.height}` })
          .toEqual([]);
      }

      await page.setViewportSize({ width: 1280, height: 800 });
      await expectAccessible(page);
      expect(complaints).toEqual([]);
      const { stops, unreached } = await tabAround(page);
      expect(unreached).toEqual([]);
      orders.set(name, stops);
      if (!isUpdate) expect(stops).toEqual(stored.get(name));
    },
  );
});

describe('axe finds nothing to complain of in', () => {
  let page: Page;
  let fixture: DashboardFixture;
  beforeAll(async () => {
    ({ page, fixture } = await browser.open('/app/dev/logs'));
  });

  const tabs = named(['syncs', 'auth']);
  nightlyEach(tabs, 2)('the tab %s of a connection', async (tab) => {
    await page.goto(screenAddress(fixture, '/app/dev/connections'));
    await page.locator('[data-row-link]').first().waitFor();
    const href = await page.locator('[data-row-link]').first().getAttribute('href');
    await page.goto(screenAddress(fixture, `${href}/${tab}`));
    await page.getByText('Used by').first().waitFor();
    await expectAccessible(page);
  });

  const overlays: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
    ['the palette', () => page.keyboard.press('Control+k')],
    ['the choice of a period', () => page.getByRole('button', { name: /^Period/ }).click()],
    ['the choice of states', () => page.getByRole('button', { name: 'State', exact: true }).click()],
    [
      'the columns',
      () =>
        page
          .getByRole('button', { name: /column/i })
          .first()
          .click(),
    ],
    ['the help', () => page.keyboard.press('?')],
    ['the export', () => page.getByRole('button', { name: 'Export' }).click()],
  ];
  nightlyEach(overlays, 3)('%s over the log', async (show) => {
    await page.goto(screenAddress(fixture, '/app/dev/logs'));
    await page.locator('[role=row][aria-rowindex="2"]').waitFor();
    const overlay = () => page.locator('[role=dialog], [role=menu], [role=listbox]').filter({ visible: true });
    await show();
    await overlay().first().waitFor();
    for (const dialog of await page.getByRole('dialog').all()) {
      await expect
        .poll(() => dialog.evaluate((one) => one.ariaLabel ?? one.getAttribute('aria-labelledby')))
        .toBeTruthy();
    }
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => overlay().count()).toBe(0);
  });
});

describe('axe finds nothing to complain of where there is nothing yet', () => {
  let page: Page;
  let url: string;
  beforeAll(async () => {
    const opened = await browser.open('/app/dev/logs', { isEmpty: true });
    page = opened.page;
    url = opened.fixture.url;
  });

  const paths = ['', '/integrations', '/connections', '/functions', '/logs', '/webhooks', '/mcp'];
  nightlyEach(named(paths), 3)('/app/dev%s', async (path) => {
    await page.goto(`${url}/app/dev${path}`);

    await expectAccessible(page);
  });
});

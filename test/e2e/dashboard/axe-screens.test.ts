import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DashboardBrowser, startDashboardBrowser } from './dashboard-browser.ts';

declare global {
  interface Window {
    axe: { run: (options: object) => Promise<AxeResult> };
  }
}

/** Rules of WCAG 2.2 AA and what came before it (ui.md 15). */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const SCHEMES = ['light', 'dark'] as const;

let browser: DashboardBrowser;
let axe: string;
beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  browser = await startDashboardBrowser();
});
afterAll(() => browser.stop());

interface AxeResult {
  violations: Array<{ id: string; nodes: Array<{ html: string; target: unknown[] }> }>;
}

/** What axe complains of, a line each: rule, place, element. */
async function violations(page: Page, scheme: (typeof SCHEMES)[number]): Promise<string[]> {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset['mantineColorScheme'])).toBe(scheme);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  // Colours that are still changing are neither those of before nor those of after.
  await page.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => undefined))));
  const { violations: found } = await page.evaluate(
    (tags) =>
      window.axe.run({
        runOnly: { type: 'tag', values: tags },
        resultTypes: ['violations'],
      }),
    TAGS,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, target }) => `${scheme} ${id}: ${target.join(' ')} ${html.slice(0, 160)}`),
  );
}

async function expectAccessible(page: Page): Promise<void> {
  // What is shown for a moment only, while data is on its way, is none of the screen's states.
  await page.locator('h1').first().waitFor();
  await expect.poll(() => page.locator('[aria-busy=true], .mantine-Skeleton-root').count()).toBe(0);
  const all: string[] = [];
  for (const scheme of SCHEMES) all.push(...(await violations(page, scheme)));
  expect(all).toEqual([]);
}

const CONNECTION = '/app/dev/connections/:connection';

/** Every screen with what its address can open; `:connection` is the first of the list. */
const SCREENS: ReadonlyArray<readonly [name: string, path: string]> = [
  ['overview', '/app/dev'],
  ['integrations', '/app/dev/integrations'],
  ['provider catalogue', '/app/dev/integrations/create'],
  ['new integration', '/app/dev/integrations/create/hubspot'],
  ['functions of an integration', '/app/dev/integrations/hubspot'],
  ['connections of an integration', '/app/dev/integrations/hubspot/connections'],
  ['settings of an integration', '/app/dev/integrations/hubspot/settings'],
  ['functions', '/app/dev/functions'],
  ['a function', '/app/dev/integrations/hubspot/functions/fetch-contacts?type=sync'],
  ['connections', '/app/dev/connections'],
  ['new connection', '/app/dev/connections/create'],
  ['authorization of a connection', CONNECTION],
  ['syncs of a connection', `${CONNECTION}/syncs`],
  ['models of a connection', `${CONNECTION}/records`],
  ['activity of a connection', `${CONNECTION}/activity`],
  ['settings of a connection', `${CONNECTION}/settings`],
  ['records', `${CONNECTION}/records/Invoice`],
  ['a record', `${CONNECTION}/records/Invoice?record=INV-20418`],
  ['history of a record', `${CONNECTION}/records/Invoice?record=INV-20418&tab=history`],
  ['logs', '/app/dev/logs'],
  ['logs with a query', '/app/dev/logs?search=state%3Abroken%20-type%3Async&states=failed'],
  ['an operation', '/app/dev/logs?operationId=op-4'],
  ['requests of an operation', '/app/dev/logs?operationId=op-4&tab=requests'],
  ['records of an operation', '/app/dev/logs?operationId=op-4&tab=records'],
  ['an operation as JSON', '/app/dev/logs?operationId=op-4&tab=raw'],
  ['webhooks from providers', '/app/dev/webhooks'],
  ['webhooks to the app', '/app/dev/webhooks?direction=outgoing'],
  ['playground', '/app/dev/playground'],
  ['API reference', '/app/dev/api'],
  ['MCP', '/app/dev/mcp'],
  ['settings', '/app/dev/environment-settings'],
  ['redirect address', '/app/dev/callback'],
  ['an address that leads nowhere', '/app/dev/nowhere'],
  ['quick panel', '/app/dev/quick'],
];

describe('axe finds nothing to complain of', () => {
  let page: Page;
  let url: string;
  let connection: string;
  beforeAll(async () => {
    const opened = await browser.open('/app/dev/logs');
    page = opened.page;
    url = opened.fixture.url;
    const [first] = opened.fixture.state.connections;
    const { integrationKey = '', connectionId = '' } = first?.detail ?? {};
    connection = `${integrationKey}/${encodeURIComponent(connectionId)}`;
  });

  it.each(SCREENS)('%s', async (_name, path) => {
    await page.goto(url + path.replace(':connection', connection));

    await expectAccessible(page);
  });

  it('palette, help, menus and pickers', async () => {
    await page.goto(`${url}/app/dev/logs`);
    await page.locator('[role=row][aria-rowindex="2"]').waitFor();
    const open: ReadonlyArray<() => Promise<unknown>> = [
      () => page.keyboard.press('Control+k'),
      () => page.keyboard.press('?'),
      () => page.getByRole('button', { name: /^Period/ }).click(),
      () => page.getByRole('button', { name: 'State', exact: true }).click(),
      () =>
        page
          .getByRole('button', { name: /column/i })
          .first()
          .click(),
      () => page.getByRole('button', { name: 'Export' }).click(),
    ];
    const overlay = () => page.locator('[role=dialog], [role=menu], [role=listbox]').filter({ visible: true });
    for (const show of open) {
      await show();
      await overlay().first().waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await expect.poll(() => overlay().count()).toBe(0);
    }
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

  it.each(['', '/integrations', '/connections', '/functions', '/logs', '/webhooks', '/mcp'])(
    '/app/dev%s',
    async (path) => {
      await page.goto(`${url}/app/dev${path}`);

      await expectAccessible(page);
    },
  );
});

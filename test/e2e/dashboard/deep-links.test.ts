// @module-tag slow
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseDeepLink } from '../../../electron/rules/deep-link.ts';
import { type DashboardBrowser, startDashboardBrowser } from './dashboard-browser.ts';

let browser: DashboardBrowser;
let page: Page;
let url: string;
let complaints: string[];
beforeAll(async () => {
  browser = await startDashboardBrowser();
  const opened = await browser.open('/app/dev/connections');
  page = opened.page;
  url = opened.fixture.url;
  complaints = opened.complaints;
});
afterAll(() => browser.stop());

/** Opens a link as the desktop window does. */
async function openLink(link: string): Promise<void> {
  const target = parseDeepLink(link);
  if (target?.kind !== 'open') throw new Error(`${link} opens nothing.`);
  await page.goto(url + target.path);
}

/** Links and the screen that each opens: its address below `/app` and its heading. */
const LINKS: ReadonlyArray<readonly [link: string, address: string, heading: string]> = [
  ['dev/logs?states=failed', '/dev/logs?states=failed', 'Logs'],
  ['app/settings/appearance', '/settings/appearance', 'Appearance'],
  [
    'dev/connections/google-drive/a%2Fb%20c%40d%25/syncs',
    '/dev/connections/google-drive/a%2Fb%20c%40d%25/syncs',
    'Orchard Legal',
  ],
  [
    'dev/connections/google-drive/a%2Fb%20c%40d%25#syncs',
    '/dev/connections/google-drive/a%2Fb%20c%40d%25/syncs',
    'Orchard Legal',
  ],
  // The form of another server's links.
  ['dev/activity?states=failed', '/dev/logs?states=failed', 'Logs'],
  ['dev/project-settings#webhooks', '/dev/environment-settings#webhooks', 'Settings'],
  ['dev/integration/hubspot/settings', '/dev/integrations/hubspot/settings', 'HubSpot'],
  // Addresses without an environment.
  ['app/import?source=server', '/dev/import?source=server', 'Import'],
  ['app/export?source=server', '/dev/export?source=server', 'Export'],
  ['dev/nowhere', '/dev/nowhere', 'Not found'],
  ['/evil.example/x', '/evil.example/x', 'There is no environment "evil.example"'],
  ['https://evil.example/x', '/https://evil.example/x', 'There is no environment "https:"'],
];

describe('a link', () => {
  it.each(LINKS)('homeport://open/%s opens %s', async (link, address, heading) => {
    await openLink(`homeport://open/${link}`);

    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await expect.poll(() => page.url()).toBe(`${url}/app${address}`);
    expect(complaints).toEqual([]);
  });
});

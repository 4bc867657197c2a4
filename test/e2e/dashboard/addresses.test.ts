// @module-tag slow
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseDeepLink } from '../../../electron/rules/deep-link.ts';
import { nightlyEach } from '../../support/nightly-each.ts';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();
let page: Page;
let url: string;
let complaints: string[];
beforeAll(async () => {
  const opened = await browser.open('/app/dev/connections');
  page = opened.page;
  url = opened.fixture.url;
  complaints = opened.complaints;
});

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
  const links = LINKS.map((row) => [row[0], row] as const);
  nightlyEach(links, 3)('homeport://open/%s opens its screen', async ([link, address, heading]) => {
    await openLink(`homeport://open/${link}`);

    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await expect.poll(() => page.url()).toBe(`${url}/app${address}`);
    expect(complaints).toEqual([]);
  });
});

/** Addresses of objects that do not exist, and the list that each leads to. */
const MISSING: ReadonlyArray<readonly [path: string, link: string, leadsTo: string]> = [
  ['/connections/hubspot/nobody', 'All connections', '/connections'],
  ['/connections/hubspot/nobody/records/Contact', 'All connections', '/connections'],
  ['/integrations/nothing', 'All integrations', '/integrations'],
  ['/integrations/create/nothing', 'All providers', '/integrations/create'],
  ['/integrations/hubspot/functions/nothing?type=sync', 'All functions', '/functions'],
  ['/nowhere', 'Go to the overview', ''],
];

describe('an address of a deleted object', () => {
  const missing = MISSING.map((row) => [row[0], row] as const);
  nightlyEach(missing, 3)('%s says so and leads on', async ([path, link, leadsTo]) => {
    await page.goto(`${url}/app/dev${path}`);

    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('main').getByRole('link', { name: link }).focus();
    await page.keyboard.press('Enter');

    await page.waitForURL(`${url}/app/dev${leadsTo}`);
    expect(complaints).toEqual([]);
  });

  it('offers the search over everything', { tags: ['main-path'] }, async () => {
    await page.goto(`${url}/app/dev/nowhere`);

    await page.getByRole('main').getByRole('button', { name: 'Search' }).focus();
    await page.keyboard.press('Enter');

    await page.getByPlaceholder('Search or run a command').and(page.locator(':focus')).waitFor();
  });
});

describe('an environment that does not exist', () => {
  const paths = ['', '/logs', '/getting-started'].map((path) => [`/app/nothere${path}`, path] as const);
  nightlyEach(paths, 3)('is a page of its own at %s, with a way to those that do', async (path) => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));

    await page.goto(`${url}/app/nothere${path}`);

    await page
      .getByRole('heading', {
        level: 1,
        name: 'There is no environment "nothere"',
      })
      .waitFor();
    expect(asked.filter((one) => one.includes('env=nothere'))).toEqual([]);
    await page.getByRole('link', { name: 'Open prod' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/app/prod`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });
});

describe('a tab that does not exist', () => {
  const tabs: ReadonlyArray<readonly [string, RegExp]> = [
    ['/agents#nothing', /Programs/],
    ['/integrations/hubspot/functions/fetch-contacts?type=sync#nothing', /^Code/],
    ['/connections/:connection/records/Invoice?record=INV-20418&tab=nothing', /^Record$/],
    ['/logs?operationId=op-4&tab=nothing', /^Summary/],
    ['/apps?tab=nothing', /^Keys/],
  ];
  const rows = tabs.map((row) => [row[0], row] as const);
  nightlyEach(rows, 3)('opens the first one instead: %s', async ([path, tab]) => {
    const opened = await browser.open(`/app/dev${path}`);

    await opened.page
      .locator('[role=tab][aria-selected=true], [aria-current]')
      .filter({ hasText: tab })
      .first()
      .waitFor();
  });
});

describe('a missing page', () => {
  it('offers the screens that were open before', { tags: ['nightly'] }, async () => {
    const opened = await browser.open('/app/dev/functions');
    await opened.page.getByRole('heading', { level: 1, name: 'Functions' }).waitFor();
    await opened.page.goto(`${opened.fixture.url}/app/dev/nowhere`);

    const recent = opened.page.getByRole('navigation', { name: 'Recently opened' });
    await recent.getByRole('link', { name: 'Functions' }).click();

    await opened.page.getByRole('heading', { level: 1, name: 'Functions' }).waitFor();
  });
});

// @module-tag slow
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

const FIRST = Date.parse('2026-11-28T09:00:00.000Z');
const entry = (index: number) => ({
  ...{ id: String(index + 1), action: 'connection_imported', result: 'done', keyId: null, app: null, hasKey: false },
  ...{ integrationKey: 'hubspot', connectionId: `customer-${index}`, subject: null, count: 1, entries: 1 },
  at: new Date(FIRST + index * 1000).toISOString(),
  firstAt: new Date(FIRST + index * 1000).toISOString(),
});
const ENTRIES = [0, 1, 2].map(entry).reverse();
const GROUP = { ...entry(2), firstAt: entry(0).at, connectionId: null, count: 3, entries: 3 };

/** The answers of a hub with three imports that follow each other. */
const serveImports = (page: Page) =>
  page.route('**/api/v1/audit?*', (route) => {
    const query = new URL(route.request().url()).searchParams;
    const data = query.get('grouped') === 'true' ? [GROUP] : ENTRIES;
    return route.fulfill({ json: { data, total: data.length, snapshot: '3' } });
  });

it('is one row with a count that opens, and goes back to all', async () => {
  const { page } = await browser.open('/app/dev/apps?tab=audit', { prepare: serveImports });
  const grid = page.getByRole('grid', { name: 'Access audit' });
  await grid.getByRole('link', { name: 'Show the 3 entries' }).waitFor();
  expect(await grid.getAttribute('aria-rowcount')).toBe('2');

  await grid.focus();
  await page.keyboard.press('Enter');

  await grid.getByText('customer-1').waitFor();
  expect(await grid.getAttribute('aria-rowcount')).toBe('4');
  expect(new URL(page.url()).searchParams.get('actions')).toBe('connection_imported');
  await page.getByRole('button', { name: 'All entries' }).click();
  await grid.getByRole('link', { name: 'Show the 3 entries' }).click();
  await grid.getByText('customer-2').waitFor();
});

// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { named, nightlyEach } from '../../support/nightly-each.ts';
import { browserOfFile } from './dashboard-browser.ts';
import { waitForFocusedField } from './focused-field.ts';

const browser = browserOfFile();

const headers = (page: Page): Promise<string[]> =>
  page
    .getByRole('columnheader')
    .allInnerTexts()
    .then((texts) => texts.filter((text) => text !== ''));
const widthOf = async (page: Page, name: string): Promise<number> =>
  Math.round((await page.getByRole('columnheader', { name }).boundingBox())?.width ?? 0);

describe('the columns of a list', () => {
  it('fit into a window of the usual width', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    const grid = page.getByRole('grid', { name: 'Connections' });
    expect(await grid.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  });

  it('are widened by pointer and by keyboard, and stay so', async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    const head = await page.getByRole('columnheader', { name: 'Status' }).boundingBox();
    const before = await widthOf(page, 'Status');
    if (!head) throw new Error('The head has no box.');

    await page.mouse.move(head.x + head.width + 8, head.y + head.height / 2);
    await page.mouse.down();
    await page.mouse.move(head.x + head.width + 48, head.y + head.height / 2, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => widthOf(page, 'Status')).toBe(before + 40);
    await page.getByRole('grid', { name: 'Connections' }).focus();
    for (const key of ['ArrowUp', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'Shift+ArrowRight'])
      await page.keyboard.press(key);
    await expect.poll(() => widthOf(page, 'Status')).toBe(before + 56);

    await page.reload();
    await page.getByText('Cobalt Cycles').waitFor();
    expect(await widthOf(page, 'Status')).toBe(before + 56);
  });

  it('are moved, pinned and hidden from one menu, by keyboard alone', async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    expect((await headers(page)).slice(0, 3)).toEqual(['Customer', 'Integration', 'Connection ID']);

    await page.getByRole('button', { name: 'Columns' }).focus();
    await page.keyboard.press('Enter');
    const menu = page.getByRole('dialog', { name: 'Columns, groups and row height' });
    await menu.getByRole('button', { name: 'Move Connection ID to the left' }).press('Enter');
    await expect
      .poll(() => headers(page).then((all) => all.slice(0, 3)))
      .toEqual(['Customer', 'Connection ID', 'Integration']);
    await menu.getByRole('button', { name: 'Pin Customer' }).press('Enter');
    await menu.getByRole('checkbox', { name: 'Syncs' }).press('Space');
    await expect.poll(() => headers(page)).not.toContain('Syncs');
    await page.keyboard.press('Escape');

    await page.setViewportSize({ width: 760, height: 700 });
    await page.getByRole('grid', { name: 'Connections' }).evaluate((grid) => grid.scrollTo({ left: 400 }));
    const cell = page.getByRole('gridcell').filter({ hasText: 'Cobalt Cycles' });
    await expect.poll(async () => (await cell.boundingBox())?.x ?? 0).toBeLessThan(120);
    expect((await cell.boundingBox())?.x).toBeGreaterThan(50);
  });

  it('have rows of the chosen height, list by list', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    const height = async (): Promise<number> =>
      (await page.locator('[role=row][aria-rowindex="3"]').boundingBox())?.height ?? 0;
    expect(await height()).toBe(36);

    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('dialog').getByText('Compact').click();
    await expect.poll(height).toBe(28);
    await page.reload();
    await page.getByText('Cobalt Cycles').waitFor();
    expect(await height()).toBe(28);
    await page.keyboard.press('Control+1');
    await page.getByRole('link', { name: 'Integrations' }).click();
    await page.getByRole('grid', { name: 'Integrations' }).waitFor();
    await expect.poll(height).toBe(36);
  });
});

describe('a filter', () => {
  it('finds its values at the server, with how many rows each has, by keyboard', async () => {
    const { page } = await browser.open('/app/dev/logs');
    await page.locator('[role=row][aria-rowindex="4"]').waitFor();

    await page.getByRole('button', { name: 'Function', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.type('invoices');
    await expect
      .poll(() => page.getByRole('option').allInnerTexts())
      .toEqual([expect.stringMatching(/invoices\s+\d+/)]);
    await page.keyboard.press('Enter');

    await page.waitForURL(/syncs=fetch-invoices/);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /Function fetch-invoices/ }).waitFor();
  });

  it('of connections can be a tag and a type of credentials, which come back with the address', {
    tags: ['nightly'],
  }, async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    const rowsOf = async () => Number(await page.getByRole('grid').getAttribute('aria-rowcount')) - 1;
    const all = await rowsOf();

    await page.getByRole('button', { name: 'Tag', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: /region: eu/ }).waitFor();
    await waitForFocusedField(page);
    await page.keyboard.type('eu');
    await expect.poll(() => page.getByRole('option').count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.waitForURL(/tags=region%3A\+eu/);
    await page.keyboard.press('Escape');
    await expect.poll(rowsOf).toBeLessThan(all);
    const tagged = await rowsOf();
    await page.getByRole('button', { name: 'Auth type', exact: true }).click();
    await page.getByRole('option', { name: /API key/ }).click();
    await page.keyboard.press('Escape');
    await expect.poll(rowsOf).toBeLessThan(tagged);

    await page.goBack();
    await expect.poll(rowsOf).toBe(tagged);
  });

  it('of connections offers every status, several at once, and says in words what leaves nothing', {
    tags: ['nightly'],
  }, async () => {
    const { page } = await browser.open('/app/dev/connections?status=ok');
    await page.getByText('Healthy').first().waitFor();
    await page.getByRole('button', { name: 'Status Healthy', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: /^Paused/ }).waitFor();
    await waitForFocusedField(page);
    await page.keyboard.type('paused');
    await page.keyboard.press('Enter');
    await page.waitForURL(/status=ok%2Cpaused|status=ok,paused/);
    await page.keyboard.press('Escape');
    // The focus goes back to the filter a moment after its list has closed.
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Healthy, Paused');

    await page.keyboard.press('/');
    await waitForFocusedField(page);
    await page.keyboard.type('nobody at all ');

    await page.getByText('Active: search “nobody at all”, status Healthy or Paused.').waitFor();
    await page.getByRole('button', { name: 'Remove filter Status' }).click();
    await page.waitForURL((url) => !url.search.includes('status'));
  });

  const unknown = named([
    '/app/dev/connections?status=broken',
    '/app/dev/logs?states=broken',
    '/app/dev/connections?sort=colour',
  ]);
  nightlyEach(unknown, 3)('that nobody knows, as in %s, is said and taken away', async (path) => {
    const row = path.includes('/logs') ? 'fetch-invoices' : 'Cobalt Cycles';
    const { page } = await browser.open(path);
    await page.getByText('This link has a filter that the list does not know').waitFor();

    await page.getByRole('button', { name: 'Clear filters' }).focus();
    await page.keyboard.press('Enter');

    await page.getByRole('grid').getByText(row).first().waitFor();
    expect(new URL(page.url()).search).not.toMatch(/broken|colour/);
  });

  it('is kept with the others as a view under a name', async () => {
    const { page } = await browser.open('/app/dev/connections?status=sync_error&sort=-records');
    await page.getByText('Cobalt Cycles').waitFor();

    await page.getByRole('button', { name: 'Save view' }).click();
    await waitForFocusedField(page);
    await page.keyboard.type('Broken, largest first');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Broken, largest first' }).waitFor();
    await page.getByRole('link', { name: /^All/ }).click();
    await page.waitForURL((url) => !url.search.includes('status'));
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Broken, largest first' }).click();

    await page.waitForURL('**/connections?status=sync_error&sort=-records');
  });
});

describe('what a cell says shortly', () => {
  it('is said whole below the pointer, and on the focus of a button', async () => {
    const { page, complaints } = await browser.open('/app/dev/connections');
    const used = page.getByRole('row').filter({ hasText: 'Cobalt Cycles' }).locator('time').last();
    await used.hover();
    await page.getByRole('tooltip').getByText(/\d{4}/).waitFor();
    await page.mouse.move(0, 0);
    await page.getByRole('tooltip').waitFor({ state: 'detached' });

    await page.getByText('Cobalt Cycles').click();
    const copy = page.getByRole('button', { name: 'Copy e-mail' });
    await copy.waitFor();
    await page.keyboard.press('Tab');
    await copy.focus();

    await page.getByRole('tooltip').getByText('Copy e-mail').waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('tooltip').getByText('Copy e-mail').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });
});

describe('rows that are being read', () => {
  it('stay where they are while a sync saves records, and a pill says how many came', async () => {
    const path = '/app/dev/connections/:connection/records/Invoice';
    const { page, fixture } = await browser.open(path, { records: 900 });
    const [owner] = fixture.state.connections;
    if (!owner) throw new Error('The fixture has no connection.');
    const { integrationKey, connectionId } = owner.detail;
    const grid = page.getByRole('grid', { name: 'Records of Invoice' });
    await page.locator('[role=row][aria-rowindex="4"]').getByText('INV-').waitFor();
    await grid.evaluate((element) => element.scrollTo({ top: 36 * 500 }));
    const row = page.locator('[role=row][aria-rowindex="504"]');
    await row.getByText('INV-').waitFor();
    const before = await row.textContent();
    const [newest] = fixture.state.records;
    if (!newest) throw new Error('The fixture has no record.');
    const modifiedAt = new Date().toISOString();
    fixture.state.records.unshift({ ...newest, detail: { ...newest.detail, id: 'INV-NEW', modifiedAt } });

    fixture.emit('records', { integrationKey, connectionId, model: 'Invoice', variant: 'base' });

    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await row.textContent()).toBe(before);
    await page.getByRole('button', { name: '1 new' }).click();
    await page.getByText('INV-NEW').waitFor();
  });
});

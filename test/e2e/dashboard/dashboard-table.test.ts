// @module-tag slow
import { describe, expect, it } from 'vitest';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { browserOfFile } from './dashboard-browser.ts';
import { goByKeys } from './screen-keys.ts';

const browser = browserOfFile();

describe('the table of connections', () => {
  it('is walked, selected and opened by keyboard from one tab stop', { tags: ['main-path'] }, async () => {
    const { page, complaints } = await browser.open('/app/dev/connections');
    const grid = page.getByRole('grid', { name: 'Connections' });
    const activeText = async (): Promise<string | null> => {
      const id = await grid.getAttribute('aria-activedescendant');
      return page.locator(`[id="${id}"]`).textContent();
    };
    await page.getByText('Cobalt Cycles').waitFor();

    await grid.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('j');
    expect(await activeText()).toContain('Harrow Books');

    await page.keyboard.press('Shift+Space');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('2 selected').waitFor({ state: 'detached' });

    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/connections/hubspot/**');
    await page.getByRole('heading', { level: 1, name: /Cobalt Cycles/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('reaches the last of 214 rows, beyond the first page, with End', async () => {
    const { page } = await browser.open('/app/dev/connections');
    const grid = page.getByRole('grid', { name: 'Connections' });
    await page.getByText('Cobalt Cycles').waitFor();

    await grid.focus();
    await page.keyboard.press('End');

    await page.locator('[role=row][aria-rowindex="215"]').getByText('@').waitFor();
    expect(await grid.getAttribute('aria-rowcount')).toBe('215');
  });

  it('sorts from the header by keyboard and keeps the order in the address', async () => {
    const { page } = await browser.open('/app/dev/connections');
    const grid = page.getByRole('grid', { name: 'Connections' });
    await page.getByText('Cobalt Cycles').waitFor();

    await grid.focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');

    await page.waitForURL('**/connections?sort=name');
    const header = page.getByRole('columnheader', { name: 'Customer' });
    await expect.poll(() => header.getAttribute('aria-sort')).toBe('ascending');
  });

  it('keeps search and filters in the address, and back restores them', async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();

    await page.getByRole('link', { name: /Failing syncs/ }).click();
    await page.waitForURL('**/connections?status=sync_error');
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('3');
    await page.goBack();
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('215');

    await page.keyboard.press('/');
    await page.keyboard.type('juniper');
    await page.waitForURL('**/connections?search=juniper');
  });
});

describe('the shell', () => {
  it('switches the theme and remembers it', async () => {
    const { page } = await browser.open('/app/dev/connections', { scheme: 'light' });
    const background = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.getByText('Cobalt Cycles').waitFor();
    expect(await background()).toBe('rgb(255, 255, 255)');

    await page.getByRole('button', { name: 'Use the dark theme' }).click();
    await expect.poll(background).toBe('rgb(17, 23, 27)');
    await page.reload();
    expect(await background()).toBe('rgb(17, 23, 27)');
  });

  it('fits 640 pixels: icons only, no sideways scrolling of the page, the panel over the table', {
    tags: ['nightly'],
  }, async () => {
    const { page } = await browser.open('/app/dev/logs?operationId=op-4', { width: 640 });
    const panel = page.getByRole('complementary', { name: 'Operation op-4' });
    await panel.getByText('Gave up after 3 attempts').waitFor();

    await expectToFitWindow(page);
    expect((await panel.boundingBox())?.width).toBeGreaterThan(570);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await panel.waitFor({ state: 'detached' });
  });

  it('goes to screens by keys and to a connection through the palette', async () => {
    const { page, complaints } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();

    await goByKeys(page, 'f');
    await page.waitForURL('**/dev/functions');
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search or run a command').fill('harrow');
    await page
      .getByRole('option', { name: /Harrow Books/ })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');

    await page.waitForURL('**/connections/xero/**');
    expect(complaints).toEqual([]);
  });
});

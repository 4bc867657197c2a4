// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

const heads = (page: Page) => page.getByRole('grid').getByRole('button', { expanded: true });
const head = (page: Page, name: string | RegExp) => page.getByRole('grid').getByRole('button', { name });
const rowCount = async (page: Page) => Number(await page.getByRole('grid').getAttribute('aria-rowcount')) - 1;

describe('a grouped list', () => {
  it('has heads with counts, collapses by key and click, and is so again later', async () => {
    const { page, complaints } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').first().waitFor();
    const all = await rowCount(page);
    await page.keyboard.press('Shift+G');
    const first = heads(page).first();
    await first.waitFor();
    const groups = (await rowCount(page)) - all;
    expect(groups).toBeGreaterThan(3);
    const text = (await first.textContent()) ?? '';
    const count = Number(/\d+$/.exec(text)?.[0]);

    // The first row is the head of the first group; it has the keyboard focus.
    await page.getByRole('grid').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => rowCount(page)).toBe(all + groups - count);
    await page.keyboard.press('Enter');
    await expect.poll(() => rowCount(page)).toBe(all + groups);
    await first.click();
    await expect.poll(() => rowCount(page)).toBe(all + groups - count);
    // A row below its head opens as ever.
    await page.reload();
    await heads(page).first().waitFor();
    expect(await rowCount(page)).toBe(all + groups - count);

    await page.keyboard.press('Shift+G');
    await head(page, /Sign-in needed/).waitFor();
    await head(page, /Healthy/).waitFor();
    await page.keyboard.press('Shift+G');
    await expect.poll(() => rowCount(page)).toBe(all);
    expect(complaints).toEqual([]);
  });

  it('is chosen in the menu of the columns, keeps search and selection, and reaches its end', {
    tags: ['nightly'],
  }, async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').first().waitFor();
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await page.getByRole('radio', { name: 'Status' }).locator('..').getByText('Status').click();
    await page.keyboard.press('Escape');
    await head(page, /Healthy/).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    const last = await rowCount(page);
    // A row is drawn before it is loaded, and cannot be selected then.
    await page.locator(`[role=row][aria-rowindex="${last + 1}"] [data-row-link]`).waitFor();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.getByRole('textbox', { name: 'Name, ID, e-mail or tag' }).fill('cobalt');
    await expect.poll(() => rowCount(page)).toBeLessThan(last);
    await heads(page).first().waitFor();
  });

  it('groups functions too', async () => {
    const { page } = await browser.open('/app/dev/functions');
    await page.getByText('fetch-contacts').first().waitFor();
    await page.keyboard.press('Shift+G');
    await head(page, /hubspot|HubSpot/).waitFor();
    await page.keyboard.press('Shift+G');
    await heads(page).first().waitFor();
  });

  it('groups the log too', async () => {
    const { page, complaints } = await browser.open('/app/dev/logs');
    await page.getByRole('row').nth(2).waitFor();
    await page.keyboard.press('Shift+G');
    await head(page, /calendly/).waitFor();
    await page.keyboard.press('Shift+G');
    await head(page, /^Cancelled/).waitFor();
    expect(complaints).toEqual([]);
  });
});

// @module-tag slow
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { nightlyEach } from '../../support/nightly-each.ts';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text }).first();
const chosen = (page: Page): Promise<string> => page.evaluate(() => String(getSelection()));
const hasGridFocus = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.activeElement?.getAttribute('role') === 'grid');

/** Drags the mouse over the whole text, as a person does who wants to copy it. */
async function dragOver(page: Page, text: Locator): Promise<void> {
  const box = await text.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const { left, right, top, height } = range.getBoundingClientRect();
    return { left, right, y: top + height / 2 };
  });
  await page.mouse.move(box.left + 1, box.y);
  await page.mouse.down();
  await page.mouse.move((box.left + box.right) / 2, box.y, { steps: 3 });
  await page.mouse.move(box.right - 1, box.y, { steps: 3 });
  await page.mouse.up();
}

async function openConnections(): Promise<Page> {
  const { page } = await browser.open('/app/dev/connections');
  await rowOf(page, 'Juniper Freight').waitFor();
  return page;
}

describe('the text of a row', () => {
  const cells = [
    ['in the cell of the link', 'Juniper Freight'],
    ['in another cell', 'Slack'],
  ] as const;
  nightlyEach(cells, 2)('%s is selected by dragging, which opens nothing; the next click does', async (words) => {
    const page = await openConnections();
    const text = rowOf(page, 'Juniper Freight').getByText(words, { exact: true });
    const before = page.url();

    await dragOver(page, text);
    expect(await chosen(page)).toBe(words);
    expect(page.url()).toBe(before);
    await expect.poll(() => hasGridFocus(page)).toBe(true);

    // Its text is no longer selected once the person has clicked elsewhere.
    await page.getByRole('heading', { level: 1 }).click();
    await text.click();
    await page.getByRole('heading', { level: 1, name: /Juniper Freight/ }).waitFor();
  });

  it('is selected in a row that opens a panel, which stays closed', async () => {
    const { page } = await browser.open('/app/dev/logs');
    const text = page.getByText('fetch-invoices').first();
    await text.waitFor();

    await dragOver(page, text);

    expect(await chosen(page)).toBe('fetch-invoices');
    expect(await page.getByRole('complementary', { name: /^Operation/ }).count()).toBe(0);
  });

  it('opens nothing while text of the row is selected, however it was', { tags: ['nightly'] }, async () => {
    const page = await openConnections();
    const before = page.url();
    const link = rowOf(page, 'Juniper Freight').getByRole('link').first();
    const click = (words: string): Promise<void> =>
      link.evaluate((element, wanted) => {
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) if (texts.currentNode.textContent?.trim() === wanted) break;
        getSelection()?.setBaseAndExtent(texts.currentNode, 0, texts.currentNode, 3);
        (element as HTMLElement).click();
      }, words);

    await click('Juniper Freight');
    expect(page.url()).toBe(before);
    expect(await chosen(page)).toBe('Jun');

    // Text of another row is no reason to stay.
    await click('Cobalt Cycles');
    await page.getByRole('heading', { level: 1, name: /Juniper Freight/ }).waitFor();
  });

  it('keeps the menu of the browser where it is selected, and no other row does', { tags: ['nightly'] }, async () => {
    const page = await openConnections();
    const text = rowOf(page, 'Juniper Freight').getByText('Slack', { exact: true });
    await dragOver(page, text);

    await text.click({ button: 'right' });
    await rowOf(page, 'Cobalt Cycles').getByText('HubSpot', { exact: true }).click({ button: 'right' });

    const menu = page.getByRole('menu');
    await menu.waitFor();
    expect(await menu.count()).toBe(1);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /Cobalt Cycles/ }).waitFor();
  });

  it('is not selected by a click with Shift, which selects rows', { tags: ['nightly'] }, async () => {
    const page = await openConnections();
    await page.getByRole('checkbox', { name: /Select Cobalt Cycles/ }).click();

    await rowOf(page, 'Juniper Freight')
      .getByText('Slack', { exact: true })
      .click({ modifiers: ['Shift'] });

    await page.getByText('2 selected').waitFor();
    expect(await chosen(page)).toBe('');
  });

  const clicks: ReadonlyArray<readonly [string, Parameters<Locator['click']>[0]]> = [
    ['the middle button', { button: 'middle' }],
    ['Control', { modifiers: ['Control'] }],
  ];
  nightlyEach(clicks, 2)('opens the row in a new tab for a click with %s', async (options) => {
    const page = await openConnections();

    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      rowOf(page, 'Juniper Freight').getByText('Slack', { exact: true }).click(options),
    ]);

    await tab.getByRole('heading', { level: 1, name: /Juniper Freight/ }).waitFor();
    await tab.close();
    await page.getByRole('heading', { level: 1, name: 'Connections' }).waitFor();
  });
});

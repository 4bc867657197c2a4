// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { runningOperation } from '../../support/running-operation.ts';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

async function openWithSelection(): Promise<Page> {
  const { page } = await browser.open('/app/dev/connections');
  await page.getByText('Cobalt Cycles').waitFor();
  await page.getByRole('grid', { name: 'Connections' }).focus();
  await page.keyboard.press('Shift+Space');
  await page.getByText('1 selected').waitFor();
  return page;
}

/** Opens a connection without loading the page again. */
async function openByPalette(page: Page, name: string): Promise<void> {
  // A text field keeps its keys.
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search or run a command').fill(name);
  await page
    .getByRole('option', { name: new RegExp(name, 'i') })
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: new RegExp(name, 'i') }).waitFor();
}

describe('what was chosen on a screen', () => {
  it('stays behind when the environment is switched', { tags: ['nightly'] }, async () => {
    const page = await openWithSelection();

    await page.getByRole('button', { name: 'Environment dev Homeport, switch' }).click();
    await page.getByRole('menuitem', { name: 'prod' }).click();

    await page.waitForURL('**/app/prod/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    await expect.poll(() => page.getByText('1 selected').count()).toBe(0);
  });

  it('is let go of when another filter shows other rows', { tags: ['nightly'] }, async () => {
    const page = await openWithSelection();

    await page.getByRole('link', { name: /Failing syncs/ }).click();

    await page.waitForURL('**/connections?status=sync_error');
    await page.getByText('1 selected').waitFor({ state: 'detached' });
  });

  it('does not go from one connection to the next', async () => {
    const { page } = await browser.open('/app/dev/connections');
    await page.getByText('Cobalt Cycles').waitFor();
    // Both are loaded already, so that only the page itself can drop the draft.
    await openByPalette(page, 'Harrow Books');
    await openByPalette(page, 'Cobalt Cycles');
    await page.getByRole('button', { name: 'Edit metadata' }).click();
    await page.getByRole('textbox', { name: 'Metadata as JSON' }).fill('{"of": "Cobalt"}');

    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search or run a command').fill('Harrow Books');
    await page
      .getByRole('option', { name: /Harrow Books/i })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    // Typed text is not lost without a question.
    await page.getByRole('button', { name: 'Discard changes' }).click();

    await page.getByRole('heading', { level: 1, name: /Harrow Books/ }).waitFor();
    await page.getByRole('button', { name: 'Edit metadata' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Metadata as JSON' }).count()).toBe(0);
  });
});

describe('the name of the environment', () => {
  it('says in words and in its colour that it is a production one', async () => {
    const { page } = await browser.open('/app/prod/connections');
    const button = page.getByRole('button', { name: 'Environment prod production Homeport, switch' });
    const chip = button.getByText('production', { exact: true });
    await chip.waitFor();
    const [border, bar] = await Promise.all([
      chip.evaluate((one) => getComputedStyle(one).borderTopColor),
      page.locator('[data-colour="orange"]').evaluate((one) => getComputedStyle(one).backgroundColor),
    ]);
    expect(border).toBe(bar);
  });
});

describe('the search of a log', () => {
  it('is sent while operations keep coming', async () => {
    const { page, fixture } = await browser.open('/app/dev/logs');
    await page.getByText('fetch-invoices').first().waitFor();
    let count = 0;
    const arriving = setInterval(() => {
      count += 1;
      fixture.emit('operation', runningOperation(`live-${count}`));
    }, 50);
    try {
      await page.getByRole('combobox', { name: /^Query/ }).fill('linear');
      // A timer that every event restarts would only end when the page falls behind.
      await page.waitForURL('**/logs?search=linear', { timeout: 15_000 });
    } finally {
      clearInterval(arriving);
    }
  });
});

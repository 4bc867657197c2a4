// @module-tag slow
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { named, nightlyEach } from '../../support/nightly-each.ts';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

async function openLog(query = ''): Promise<Page> {
  const { page } = await browser.open(`/app/dev/logs${query}`);
  await page.locator('[role=row][aria-rowindex="2"]').first().waitFor();
  return page;
}

const KEYS = named(['Enter', 'ArrowDown']);

describe('the search of a list', () => {
  nightlyEach(KEYS, 2)('goes to the first row with %s', async (key) => {
    const { page } = await browser.open('/app/dev/connections');
    await page.locator('[role=row][aria-rowindex="2"]').first().waitFor();
    for (const one of ['j', 'j', '/']) await page.keyboard.press(one);
    await page.keyboard.type('cobalt');
    await page.waitForURL('**/connections?search=cobalt');

    await page.keyboard.press(key);

    const grid = page.getByRole('grid', { name: 'Connections' });
    await grid.and(page.locator(':focus')).waitFor();
    const first = page.locator('[role=row][aria-rowindex="2"][data-active]', { hasText: 'Cobalt' });
    await first.first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/connections/*/**');
  });

  nightlyEach(KEYS, 2)('goes to the first provider of the catalogue with %s', async (key) => {
    const { page } = await browser.open('/app/dev/integrations/create');
    await page.getByRole('grid', { name: 'Providers' }).getByRole('row').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('hubspot');
    await page.locator('[data-at="0"]', { hasText: 'HubSpot' }).waitFor();

    await page.keyboard.press(key);

    await page.locator('[data-at="0"]:focus', { hasText: 'HubSpot' }).waitFor();
  });
});

const focusedButton = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).and(page.locator(':focus')).waitFor();

describe('a search field without a list', () => {
  const lists = named(['/app/dev/logs', '/app/dev/connections']);
  nightlyEach(lists, 2)('gives the focus to the heading of %s', async (path) => {
    const { page } = await browser.open(`${path}?integrations=unknown`);
    await page.getByText('Nothing matches').first().waitFor();

    for (const key of ['/', 'Escape', 'Escape']) await page.keyboard.press(key);

    await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();
  });
});

describe('a control of a list that goes away while it has the focus', () => {
  it('gives it to the list when the selection is cleared', async () => {
    const page = await openLog();
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+Space');
    const bar = page.getByRole('toolbar', { name: 'Selected rows' });
    await bar.getByRole('button', { name: 'Copy' }).focus();

    await page.keyboard.press('Escape');

    await bar.waitFor({ state: 'detached' });
    await page.getByRole('grid', { name: 'Operations' }).and(page.locator(':focus')).waitFor();
  });

  it('keeps it on the arrow that moves a column when the column is the first', async () => {
    const page = await openLog();
    await page.getByRole('button', { name: 'Columns' }).click();
    const arrow = page.getByRole('button', { name: 'Move Took to the left' });
    await arrow.focus();

    await page.keyboard.press('Enter');

    await arrow.and(page.locator('[aria-disabled=true]')).waitFor();
    await focusedButton(page, 'Move Took to the left');
    await page.keyboard.press('Enter');
    const heads = await page.getByRole('columnheader').allTextContents();
    expect(heads.filter((head) => head !== '').slice(0, 2)).toEqual(['Took', 'Time']);
  });

  it('gives it back to the button of the export when the file is written', async () => {
    const page = await openLog();
    await page.getByRole('button', { name: 'Export' }).focus();
    await page.keyboard.press('Enter');
    const download = page.waitForEvent('download');

    await page.getByRole('menuitem', { name: 'CSV' }).press('Enter');

    await download;
    await focusedButton(page, 'Export');
  });

  it('gives it to the views when one was saved, and back when the last one was deleted', async () => {
    const page = await openLog('?states=failed');
    await page.getByRole('button', { name: 'Save view' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Name of the view' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Failures');
    await page.keyboard.press('Enter');

    await focusedButton(page, 'Failures');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Delete view Failures' }).press('Enter');

    await focusedButton(page, 'Save view');
  });
});

/**
 * Opens a menu, and chooses with the keyboard what opens a dialog. The menu gives the focus back to its button a moment after it
 * closed, and not at all when a dialog has it by then: on a slow computer the dialog can come first, as here.
 */
async function chooseSlowly(page: Page, button: Locator, item: string): Promise<void> {
  await button.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: item }).focus();
  await page.evaluate(() => {
    const { setTimeout: real } = window;
    const held = (run: () => void, ms?: number) => (ms === 10 ? 0 : real(run, ms));
    Object.assign(window, { setTimeout: held, freeTimers: () => Object.assign(window, { setTimeout: real }) });
  });
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('textbox').and(page.locator(':focus')).waitFor();
  await page.evaluate('freeTimers()');
}

describe('a dialog that a menu opened', () => {
  const dialogs = [
    ['a dialog', '/app/dev/logs', /^Environment dev/, 'New environment'],
    ['a question', '/app/dev/connections/:connection', /^More$/, 'Delete connection'],
  ] as const;
  it.each(dialogs)('gives the focus to the button of the menu when it closes: %s', async (_what, path, name, item) => {
    const { page } = await browser.open(path);
    const button = page.getByRole('button', { name }).first();

    await chooseSlowly(page, button, item);
    await page.keyboard.press('Escape');

    await button.and(page.locator(':focus')).waitFor();
  });
});

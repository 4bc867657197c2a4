// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

const box = (page: Page) => page.getByRole('region', { name: 'Favourites' });
const names = (page: Page) => box(page).getByRole('link').locator('span[title]').allTextContents();
const pin = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Pin to the sidebar' });
const FUNCTION = 'integrations/hubspot/functions/fetch-contacts?type=sync';

/** Opens another page of the dashboard in the same browser, with what it has stored. */
const go = (page: Page, path: string) => page.goto(page.url().replace(/\/app\/.*/, `/app/dev/${path}`));

describe('favourites', () => {
  it('are pinned on pages, ordered by keyboard and by drag, kept, and removed', async () => {
    const { page, complaints } = await browser.open('/app/dev/connections/:connection');
    await pin(page).click();
    await expect.poll(() => names(page)).toEqual(['Cobalt Cycles']);
    expect(await pin(page).getAttribute('aria-pressed')).toBe('true');
    await go(page, 'integrations/linear');
    await pin(page).click();
    await go(page, FUNCTION);
    await pin(page).click();
    await expect.poll(() => names(page)).toEqual(['Cobalt Cycles', 'Linear', 'fetch-contacts']);

    const last = box(page).getByRole('link', { name: 'fetch-contacts' });
    await last.focus();
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(() => names(page)).toEqual(['Cobalt Cycles', 'fetch-contacts', 'Linear']);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('fetch-contacts');
    await box(page).getByRole('listitem').nth(2).dragTo(box(page).getByRole('listitem').nth(0));
    await expect.poll(() => names(page)).toEqual(['Linear', 'Cobalt Cycles', 'fetch-contacts']);

    await page.reload();
    await expect.poll(() => names(page)).toEqual(['Linear', 'Cobalt Cycles', 'fetch-contacts']);
    await box(page).getByRole('link', { name: 'Cobalt Cycles' }).click();
    await page.getByRole('heading', { level: 1, name: /Cobalt Cycles/ }).waitFor();
    await box(page).getByRole('link', { name: 'Linear' }).focus();
    await page.keyboard.press('Delete');
    await expect.poll(() => names(page)).toEqual(['Cobalt Cycles', 'fetch-contacts']);
    await pin(page).click();
    await expect.poll(() => names(page)).toEqual(['fetch-contacts']);
    expect(complaints).toEqual([]);
  });

  it('disappear when what they name is deleted, at once and at the next start', { tags: ['nightly'] }, async () => {
    const { page, fixture } = await browser.open('/app/dev/connections/:connection');
    await pin(page).click();
    await expect.poll(() => names(page)).toEqual(['Cobalt Cycles']);
    const [first] = fixture.state.connections;
    if (!first) throw new Error('The fixture has no connection.');
    const { integrationKey, connectionId } = first.detail;
    await go(page, FUNCTION);
    await pin(page).click();
    await expect.poll(() => names(page)).toEqual(['Cobalt Cycles', 'fetch-contacts']);
    fixture.state.connections = fixture.state.connections.filter((one) => one !== first);
    fixture.emit('connection', { integrationKey, connectionId, change: 'deleted' });
    await expect.poll(() => names(page)).toEqual(['fetch-contacts']);

    fixture.state.functions = fixture.state.functions.filter(({ name }) => name !== 'fetch-contacts');
    await go(page, 'connections');
    await page.getByText('Juniper Freight').first().waitFor();
    await box(page).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => localStorage.getItem('homeport.favourites.dev'))).toBe('[]');
  });

  it('are saved views too, and follow from the palette', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/app/dev/connections?status=paused');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('textbox', { name: 'Name of the view' }).fill('Sleeping');
    await page.keyboard.press('Enter');
    await page.getByRole('main').getByRole('button', { name: 'Sleeping' }).click();
    await page.getByRole('menuitem', { name: /Pin to the sidebar/ }).click();
    await expect.poll(() => names(page)).toEqual(['Sleeping']);
    await go(page, 'integrations/linear');
    await page.getByRole('heading', { level: 1, name: 'Linear' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('favorite');
    await expect.poll(() => page.getByRole('option', { selected: true }).textContent()).toContain('Pin to the sidebar');
    await page.keyboard.press('Enter');
    await expect.poll(() => names(page)).toEqual(['Sleeping', 'Linear']);
    await box(page).getByRole('link', { name: 'Sleeping' }).click();
    await page.waitForURL(/connections\?status=paused/);
    await page.getByRole('main').getByRole('button', { name: 'Sleeping' }).click();
    await page.getByRole('menuitem', { name: 'Delete view Sleeping' }).click();
    await go(page, 'connections');
    await expect.poll(() => names(page)).toEqual(['Linear']);
  });
});

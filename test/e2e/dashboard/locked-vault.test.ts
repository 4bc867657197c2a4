import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { importPracticeConnection, PRACTICE_KEY } from '../../support/import-practice-connection.ts';
import { HubBrowser } from './hub-browser.ts';

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
  await importPracticeConnection(browser.hub);
});
afterAll(() => browser.stop());
afterEach(async () => {
  const { page } = await browser.open('/settings/vault');
  const unlock = page.getByRole('main').getByRole('button', { name: 'Unlock' }).last();
  await page.getByRole('heading', { name: 'Master key' }).waitFor();
  if (await unlock.isVisible()) await unlock.click();
  await page.getByRole('button', { name: 'Lock now' }).waitFor();
});

const banner = (page: Page) => page.getByRole('status').filter({ hasText: 'The vault is locked.' });
const inStatusBar = (page: Page) => page.getByRole('contentinfo').getByRole('button', { name: 'Vault locked: unlock' });

describe('the vault in the dashboard', () => {
  it('is locked by Mod+Shift+L on any screen, takes shown secrets away, and is unlocked where one is missing', async () => {
    const { page, complaints } = await browser.open('/dev/connections/practice/me');
    await page.getByRole('button', { name: 'Show API key' }).click();
    await page.getByText(PRACTICE_KEY).waitFor();

    await page.keyboard.press('Control+Shift+L');

    await banner(page).waitFor();
    await inStatusBar(page).waitFor();
    await page.getByText('vault_locked').first().waitFor();
    expect(await page.getByText(PRACTICE_KEY).count()).toBe(0);
    await expectToFitWindow(page);

    await page.getByRole('alert').getByRole('button', { name: 'Unlock' }).first().click();
    await page.getByRole('button', { name: 'Show API key' }).waitFor();
    await banner(page).waitFor({ state: 'detached' });
    expect(await inStatusBar(page).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('keeps lists readable by their names, and is unlocked by the banner or the status bar', async () => {
    const { page } = await browser.open('/dev/connections');
    await page.getByRole('grid').getByText('me', { exact: true }).first().waitFor();

    await page.keyboard.press('Control+Shift+L');
    await banner(page).waitFor();
    await page.getByRole('grid').getByText('me', { exact: true }).first().waitFor();
    await banner(page).getByRole('button', { name: 'Unlock' }).click();
    await banner(page).waitFor({ state: 'detached' });

    await page.keyboard.press('Control+Shift+L');
    await inStatusBar(page).click();
    await banner(page).waitFor({ state: 'detached' });
  });

  it('is locked and unlocked in the settings, on every page that is open', async () => {
    const { page } = await browser.open('/settings/vault');
    const other = await page.context().newPage();
    await other.goto(page.url().replace('/settings/vault', '/dev/connections'));
    await other.getByRole('heading', { level: 1, name: 'Connections' }).waitFor();

    await page.getByRole('button', { name: 'Lock now' }).click();
    await banner(other).waitFor();

    await page.getByRole('main').getByRole('button', { name: 'Unlock' }).last().click();
    await banner(other).waitFor({ state: 'detached' });
    await other.close();
  });

  it('is found in the help of the keys and in the palette', async () => {
    const { page } = await browser.open('/dev/connections');
    await page.getByRole('heading', { level: 1, name: 'Connections' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Lock the vault').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.keyboard.press('Control+K');
    await page
      .getByRole('searchbox')
      .or(page.getByPlaceholder(/search/i))
      .first()
      .fill('lock the vault');
    await page
      .getByRole('option', { name: /Lock the vault/ })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');

    await banner(page).waitFor();
  });
});

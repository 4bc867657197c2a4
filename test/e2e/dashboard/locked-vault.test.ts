// @module-tag slow
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
const section = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
const inStatusBar = (page: Page) => page.getByRole('contentinfo').getByRole('button', { name: 'Vault locked: unlock' });

describe('the vault in the dashboard', () => {
  it('is locked by Mod+Shift+L on any screen, takes shown secrets away, and is unlocked where one is missing', {
    tags: ['main-path'],
  }, async () => {
    const { page, complaints } = await browser.open('/dev/connections/practice/me');
    await page.getByRole('button', { name: 'Show API key' }).click();
    await page.getByText(PRACTICE_KEY).waitFor();

    await page.keyboard.press('Control+Shift+L');

    await banner(page).waitFor();
    await inStatusBar(page).waitFor();
    const credentials = section(page, 'Credentials, API key');
    await credentials.getByText('The vault is locked.').waitFor();
    expect(await page.getByText(PRACTICE_KEY).count()).toBe(0);
    await expectToFitWindow(page);

    await credentials.getByRole('button', { name: 'Unlock' }).click();
    await page.getByRole('button', { name: 'Show API key' }).waitFor();
    await banner(page).waitFor({ state: 'detached' });
    expect(await inStatusBar(page).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('shows the unsealed part of a connection, and in place of the rest that it is locked', async () => {
    await browser.api('PATCH', '/environment/settings', { variables: [{ name: 'TOKEN', value: 'sealed' }] });
    const { page, complaints } = await browser.open('/dev/connections/practice/me');
    await page.getByRole('button', { name: 'Show API key' }).waitFor();

    await page.keyboard.press('Control+Shift+L');
    await section(page, 'Credentials, API key').getByText('The vault is locked.').waitFor();

    expect(await page.getByRole('main').getByRole('alert').count()).toBe(0);
    await page.getByRole('complementary', { name: 'About this connection' }).getByText('API key').waitFor();
    await page.getByRole('heading', { name: 'Tags' }).waitFor();
    expect(await page.getByRole('button', { name: 'Reconnect' }).isDisabled()).toBe(true);
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByRole('tabpanel').or(page.getByRole('grid')).first().waitFor();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    // All of the settings or none: a form must not save values that it could not read.
    await page.goto(page.url().replace(/\/dev\/.*/, '/dev/environment-settings'));
    await page.getByText('The vault is locked.').nth(1).waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Unlock' }).last().click();
    await banner(page).waitFor({ state: 'detached' });
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

  it('is locked by itself after a time that is chosen in the settings, and a key or a click puts that off', async () => {
    const { page, complaints } = await browser.open('/settings/vault');
    await page.getByRole('combobox', { name: 'Lock automatically' }).click();
    await page.getByRole('option', { name: 'After 5 minutes' }).click();
    await page.getByText('Automatic lock saved').waitFor();
    const reported = page.waitForResponse((response) => response.url().endsWith('/api/v1/vault/presence'));
    await page.getByRole('heading', { name: 'Master key' }).click();
    expect((await reported).status()).toBe(200);

    await page.reload();
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Lock automatically' }).inputValue())
      .toBe('After 5 minutes');
    await page.getByRole('combobox', { name: 'Lock automatically' }).click();
    await page.getByRole('option', { name: 'Never' }).click();
    await page.getByText('Automatic lock saved').waitFor();
    expect(complaints).toEqual([]);
  });

  it('is found in the help of the keys and in the palette', { tags: ['nightly'] }, async () => {
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

describe('a secret', () => {
  it('is nowhere but in the answer that reveals it: not in the page, its storage or any other answer', async () => {
    const { page } = await browser.open('/dev/connections');
    const leaks: string[] = [];
    page.on('response', (response) => {
      if (
        !response.url().includes('/api/v1/') ||
        response.url().includes('/api/v1/reveal') ||
        /events/.test(response.url())
      )
        return;
      response.text().then(
        (text) => text.includes(PRACTICE_KEY) && leaks.push(response.url()),
        // A page that is closed discards its responses.
        () => {},
      );
    });
    for (const path of [
      '/dev',
      '/dev/logs',
      '/dev/integrations/practice/connections',
      '/dev/apps',
      '/dev/connections/practice/me',
    ]) {
      await page.goto(`${browser.hub.url}/app${path}`);
      await page.locator('h1').first().waitFor();
      await page.waitForLoadState('load');
    }
    const shown = () => page.content().then((html) => html.includes(PRACTICE_KEY));
    await page.getByRole('button', { name: 'Show API key' }).waitFor();
    expect(await shown()).toBe(false);

    await page.getByRole('button', { name: 'Show API key' }).click();
    await page.getByText(PRACTICE_KEY).waitFor();
    await page.getByRole('button', { name: 'Hide API key' }).click();
    await expect.poll(shown).toBe(false);

    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(stored).not.toContain(PRACTICE_KEY);
    expect(leaks).toEqual([]);
  });
});

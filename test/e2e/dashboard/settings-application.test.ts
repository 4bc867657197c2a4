// @module-tag slow
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { HubBrowser } from './hub-browser.ts';

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
});
afterAll(() => browser?.stop());

const READS_REGION = `import { createAction } from 'homeport';
import * as z from 'zod';
export default createAction({
  description: 'Reads a variable', version: '1.0.0', input: z.any(), output: z.any(),
  exec: async (nango) => (await nango.getEnvironmentVariables())?.find((one) => one.name === 'REGION')?.value,
});`;

describe('an environment', () => {
  it('is copied, coloured, made production, renamed, and deleted after its name was typed', async () => {
    const { page, complaints } = await browser.open('/dev/environment-settings');
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'General' }).first().waitFor();
    await page.getByRole('button', { name: 'Copy to a new environment' }).click();
    const create = page.getByRole('dialog', { name: 'New environment' });
    await create.getByLabel('Name').fill('Twin');
    await page.keyboard.press('Enter');
    await create.getByText('Use lower-case letters').waitFor();
    await create.getByLabel('Name').fill('dev');
    await page.keyboard.press('Enter');
    await create.getByText('There is already an environment "dev".').waitFor();
    await create.getByLabel('Name').fill('twin');
    await create.getByLabel('Integrations').click();
    await page.keyboard.press('Enter');
    await page.getByText('of environment twin').waitFor();

    const bar = page.locator('[data-colour]').first();
    await page.getByRole('button', { name: 'violet' }).click();
    await page.locator('[data-colour=violet]').waitFor();
    expect(await bar.evaluate((one) => getComputedStyle(one).backgroundColor)).toBe('rgb(116, 70, 184)');
    await page.getByRole('switch', { name: 'Production environment' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make it production' }).click();
    await page.getByText('On. Deleting asks for the typed name').waitFor();

    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByLabel('New name').fill('stage');
    await page.keyboard.press('Enter');
    await page.getByText('of environment stage').waitFor();
    expect(new URL(page.url()).pathname).toBe('/app/stage/environment-settings');

    // In a production environment, actions that replace something ask for its name.
    const webhooks = page.getByRole('form', { name: 'Webhooks' });
    await webhooks.getByRole('button', { name: 'Replace' }).click();
    await page.getByRole('dialog').getByLabel('Type stage to confirm').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: 'Delete environment' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete the environment stage?' });
    const confirm = dialog.getByRole('button', { name: 'Delete environment' });
    expect(await confirm.isDisabled()).toBe(true);
    // The field has the focus, and Enter is enough once the name is there.
    await dialog.getByLabel('Type stage to confirm').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('stage');
    await page.keyboard.press('Enter');
    await waitFor(async () => new URL(page.url()).pathname.startsWith('/app/dev'), { what: 'another environment' });
    expect((await browser.api<{ data: Array<{ name: string }> }>('GET', '/environments')).data).toEqual([
      expect.objectContaining({ name: 'dev' }),
    ]);

    await page.goto(`${browser.hub.url}/app/dev/environment-settings#delete`);
    await page.getByText('dev is the environment of the functions folder').waitFor();
    expect(complaints).toEqual([]);
  });

  it('is put in order', async () => {
    await browser.api('POST', '/environments', { name: 'qa' });
    const { page } = await browser.open('/settings/environments');
    const list = page.getByRole('list', { name: 'Environments' });
    const names = () => list.getByRole('link').allTextContents();

    await list.getByRole('button', { name: 'Move qa up' }).click();

    await waitFor(async () => (await names()).join() === 'qa,dev', { what: 'the new order' });
  });

  it('shows its connect page live, and refuses a colour that cannot be read', { tags: ['nightly'] }, async () => {
    await browser.api('POST', '/integrations', { provider: 'practice', unique_key: 'practice' });
    await saveFunction(browser.hub.workspace, 'practice/actions/region.ts', READS_REGION);
    const { page, complaints } = await browser.open('/dev/environment-settings#connect-ui');
    const form = page.getByRole('form', { name: 'Connect page' });
    const preview = page.frameLocator('iframe[title="Preview of the connect page"]');
    const colourOf = () =>
      preview.locator('html').evaluate((root) => root.style.getPropertyValue('--connect-primary-light'));
    await preview.getByRole('dialog').waitFor();

    await form.getByLabel('Colour on light', { exact: true }).fill('#FFD54F');
    await page.keyboard.press('Enter');
    await form.getByText(/^Hard to read: contrast 1\.4 to 1/).waitFor();
    await form.getByRole('button', { name: /^Use #/ }).click();
    await form.getByText(/^Contrast 4\.[5-9] to 1$/).waitFor();
    const chosen = await form.getByLabel('Colour on light', { exact: true }).inputValue();
    await waitFor(async () => (await colourOf()) === chosen, { what: 'the colour in the preview' });
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Connect page saved').waitFor();

    const variables = page.getByRole('form', { name: 'Function environment variables' });
    await variables.getByRole('button', { name: 'Add REGION' }).click();
    await page.keyboard.type('eu');
    await page.keyboard.press('Enter');
    await variables.getByRole('link', { name: 'practice/region' }).waitFor();
    expect(await variables.getByRole('button', { name: 'Add REGION' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe('the texts of the connect page', () => {
  it('are replaced in every language, and are its own again once they are empty', { tags: ['nightly'] }, async () => {
    const { page, complaints } = await browser.open('/dev/environment-settings#connect-ui');
    const form = page.getByRole('form', { name: 'Connect page' });
    const preview = page.frameLocator('iframe[title="Preview of the connect page"]');
    const title = form.getByLabel('Title of the list');
    await title.click();
    await page.keyboard.type('Link your tools');
    await preview.getByRole('heading', { name: 'Link your tools' }).waitFor();
    await form.getByLabel('Its button').fill('Link {name} now');
    await page.keyboard.press('Enter');
    await page.getByText('Connect page saved').waitFor();

    const start = async () => {
      const body = { end_user: { id: 'u-1' } };
      return (await browser.api<{ data: { token: string } }>('POST', '/connect/sessions', body)).data.token;
    };
    await page.goto(`${browser.hub.url}/connect/?session_token=${await start()}&lang=de`);
    await page.getByRole('heading', { name: 'Link your tools' }).waitFor();
    await page.getByRole('button', { name: /Practice/ }).click();
    await page.getByRole('button', { name: /^Link .*Practice.* now$/ }).waitFor();
    await page.getByRole('heading', { name: /Practice.* verbinden$/ }).waitFor();

    await page.goto(`${browser.hub.url}/app/dev/environment-settings#connect-ui`);
    for (const label of ['Title of the list', 'Its button']) await form.getByLabel(label).fill('');
    await page.keyboard.press('Enter');
    await page.getByText('Connect page saved').waitFor();
    await page.goto(`${browser.hub.url}/connect/?session_token=${await start()}`);
    await page.getByRole('heading', { name: 'Connect an account' }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('the settings of this computer', () => {
  it('change how the dashboard looks, at once and for the next time', async () => {
    const { page, complaints } = await browser.open('/settings/appearance');
    const root = page.locator('html');
    const textSize = () => page.locator('body').evaluate((body) => getComputedStyle(body).fontSize);
    expect(await textSize()).toBe('13px');

    await page.getByRole('radiogroup', { name: 'Text size' }).getByText('18').click();
    await page.getByRole('radiogroup', { name: 'Theme' }).getByText('Dark').click();
    await page.getByRole('switch', { name: 'High contrast' }).click();
    await page.getByRole('switch', { name: 'Reduced motion' }).click();
    await page.getByRole('radiogroup', { name: 'Row height' }).getByText('Roomy').click();
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Kabul');
    await page.getByRole('option', { name: 'Asia/Kabul' }).click();
    await page.reload();

    await page.getByRole('heading', { name: 'Appearance', level: 1 }).waitFor();
    expect(await textSize()).toBe('18px');
    expect(await root.getAttribute('data-mantine-color-scheme')).toBe('dark');
    expect(await root.getAttribute('data-more-contrast')).toBe('');
    expect(await root.getAttribute('data-reduced-motion')).toBe('');
    await page.goto(`${browser.hub.url}/app/dev`);
    await page.getByText('Times are Asia/Kabul, UTC+4:30').waitFor();
    expect(complaints).toEqual([]);
  });

  it('change single keys, refuse those that are taken, and switch them off', async () => {
    const { page } = await browser.open('/settings/shortcuts');
    const row = page.getByRole('group', { name: 'Keyboard shortcuts', exact: true });
    await row.getByRole('button', { name: 'Change the key of Keyboard shortcuts' }).click();
    await page.keyboard.press('j');
    await row.getByText('This is the key of "Next row".').waitFor();
    await page.keyboard.press('h');
    await row.getByRole('button', { name: 'Reset the key of Keyboard shortcuts' }).waitFor();

    await page.getByRole('heading', { name: 'Keyboard', level: 1 }).click();
    await page.keyboard.press('?');
    await page.keyboard.press('h');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await row.getByRole('button', { name: 'Reset the key of Keyboard shortcuts' }).click();
    await row.getByText('?', { exact: true }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);

    const singleKeys = page.getByRole('switch', { name: 'Shortcuts without Ctrl or ⌘' });
    await singleKeys.click();
    await page.reload();
    await singleKeys.waitFor();
    expect(await singleKeys.isChecked()).toBe(false);
    const before = page.url();
    for (const key of ['?', 'g', 'l', '[']) await page.keyboard.press(key);
    // The last one that opens would cover what one of the keys had opened.
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search or run a command').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
    expect(page.url()).toBe(before);
    await page.keyboard.press('Escape');
    await singleKeys.click();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  });

  it('back up, verify, measure and compact the data, and say where the key is', async () => {
    const { page, complaints } = await browser.open('/settings/data');
    await page.getByText('None yet. The first one is made ten minutes after a start.').waitFor();
    await page.getByRole('button', { name: 'Back up now' }).click();
    await page.getByText('Backup made').waitFor();
    const backups = page.getByRole('list', { name: 'Backups' });
    const [name = ''] = await readdir(join(browser.hub.home, 'backups'));
    await backups.getByText(`homeport.mjs restore "${join(browser.hub.home, 'backups', name)}"`).waitFor();
    await backups.getByRole('button', { name: /^Verify the backup/ }).click();
    await backups.getByText('Valid').waitFor();
    await page.getByRole('button', { name: 'Back up now' }).click();
    await expect.poll(() => backups.getByRole('listitem').count()).toBe(2);
    await backups
      .getByRole('button', { name: /^Delete the backup/ })
      .first()
      .click();
    const question = page.getByRole('dialog', { name: 'Delete this backup?' });
    await question.getByText(/is deleted from the disk and cannot be restored any more/).waitFor();
    await question.getByRole('button', { name: 'Delete backup' }).press('Enter');
    await page.getByText('Backup deleted').waitFor();
    await expect.poll(() => backups.getByRole('listitem').count()).toBe(1);
    const verify = backups.getByRole('button', { name: /^Verify the backup of \w+ \d+, \d{4}/ });
    await expect.poll(() => verify.evaluate((button) => button === document.activeElement)).toBe(true);
    expect(await readdir(join(browser.hub.home, 'backups'))).toEqual([name]);

    await page.getByText(/records .*, logs .*, webhooks .*, free /).waitFor();
    await page.getByRole('button', { name: 'Verify the database' }).click();
    await page.getByText('Valid').nth(1).waitFor();
    await page.getByRole('table', { name: 'Size by table' }).getByText('All others').waitFor();
    await page.getByRole('button', { name: 'Compact' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Compact' }).click();
    await page.getByText(/^Database compacted, /).waitFor();

    await page.getByRole('link', { name: 'Vault' }).click();
    await page.getByText('Unlocked', { exact: true }).waitFor();
    await page.getByText(/^Stop the hub to replace it: node .*homeport\.mjs key rotate\.$/).waitFor();
    expect(await page.getByText('From HOMEPORT_MASTER_KEY').count()).toBe(1);
    await page.getByText(/homeport\.mjs key reset$/).waitFor();
    expect(complaints).toEqual([]);
  });

  it('say that the master key is gone while it can still be replaced', async () => {
    const { page } = await browser.open('/settings/about');
    await page.getByRole('heading', { name: 'About', level: 1 }).waitFor();
    const problem = 'The keychain of this computer no longer holds the key.';
    await page.route('**/api/v1/data/key', (route) => route.fulfill({ json: { keySource: 'keychain', problem } }));

    await page.getByRole('link', { name: 'Vault' }).click();

    await page.getByText(`${problem} Replace the master key now`).waitFor();
  });

  it('say what a browser cannot set, name the licences, and show the report before it is saved', {
    tags: ['nightly'],
  }, async () => {
    const { page, complaints } = await browser.open('/settings/general', { width: 420 });
    await page.getByText(/settings of the desktop app\. This page is open in a browser/).waitFor();
    const go = async (section: string) => {
      await page.getByRole('combobox', { name: 'Section of the settings' }).click();
      await page.getByRole('option', { name: section, exact: true }).last().click();
      await page.getByRole('heading', { name: section, level: 1 }).waitFor();
      await expectToFitWindow(page, section);
    };
    for (const section of ['Environments', 'Appearance', 'Keyboard', 'Vault', 'Network', 'Updates']) await go(section);
    await page.getByText('Updates are a setting of the desktop app.').waitFor();
    await go('About');
    await page.getByLabel('Search packages').fill('express');
    await page.getByRole('list', { name: 'Packages' }).getByText('MIT').first().waitFor();
    // Its machine code, for this computer only.
    await page.getByLabel('Search packages').fill('@esbuild/');
    const codes = page.getByRole('list', { name: 'Packages' }).locator('code');
    await expect.poll(() => codes.allTextContents()).toEqual([`@esbuild/${process.platform}-${process.arch}`]);

    await page.getByRole('button', { name: 'Make a report' }).click();
    const shown = page.getByRole('region', { name: 'Content of the report' });
    await shown.getByText('Environment 1').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save report' }).click(),
    ]);
    const file = await readFile(await download.path(), 'utf8');
    for (const text of await shown.locator('pre').allTextContents()) expect(file).toContain(text.trim());
    expect(file).not.toContain(browser.hub.secretKey);
    expect(file).not.toContain(browser.hub.home);
    expect(complaints).toEqual([]);
  });
});

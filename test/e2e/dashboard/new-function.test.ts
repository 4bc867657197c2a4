// @module-tag slow
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFunction } from '../../../functions/compiler/new-function.ts';
import { ACME_DESCRIPTION } from '../../support/acme-description.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { HubBrowser } from './hub-browser.ts';

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
  await browser.api('POST', '/integrations', {
    provider: 'hubspot',
    unique_key: 'crm',
    credentials: { type: 'OAUTH2', client_id: 'id', client_secret: 'secret' },
  });
});
afterAll(() => browser?.stop());

const fileText = (path: string): Promise<string> => readFile(join(browser.hub.workspace, path), 'utf8');

/** Addresses that the page opens in other programs. */
async function followAddresses(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seenAddresses: seen });
    (window as unknown as { navigation: EventTarget }).navigation.addEventListener('navigate', (event) =>
      seen.push((event as unknown as { destination: { url: string } }).destination.url),
    );
  });
  return () => page.evaluate(() => (window as unknown as { seenAddresses: string[] }).seenAddresses);
}

describe('a new function', () => {
  it('is a file that compiles, on its page and in the editor', { tags: ['main-path'] }, async () => {
    const { page, complaints } = await browser.open('/dev/integrations/crm');
    const addresses = await followAddresses(page);
    await page.getByRole('link', { name: 'New function' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'New function' }).waitFor();
    await expect.poll(() => page.getByRole('combobox', { name: 'Integration' }).inputValue()).toContain('crm');
    const file = page.getByRole('region', { name: 'The new file' });
    await file.getByText('crm/syncs/fetch-contacts.ts').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('fetch-deals');
    await file.getByText('crm/syncs/fetch-deals.ts').waitFor();
    await file.getByText('autoStart: false').waitFor();
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { level: 1, name: 'fetch-deals' }).waitFor();
    expect(await fileText('crm/syncs/fetch-deals.ts')).toBe(newFunction('sync', 'fetch-deals'));
    await expect.poll(addresses).toContain(`vscode://file${join(browser.hub.workspace, 'crm/syncs/fetch-deals.ts')}:1`);
    await page.getByText('Does not compile').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('is offered by the list, its key and the palette', async () => {
    const { page } = await browser.open('/dev/functions');
    // Beside the list, and in the middle of one that is still empty.
    await page.getByRole('link', { name: 'New function' }).first().waitFor();
    await page.keyboard.press('n');
    await page.getByRole('heading', { level: 1, name: 'New function' }).waitFor();
    await page.goto(`${browser.hub.url}/app/dev/logs`);
    await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('new action');
    await page.getByRole('option', { name: 'New function' }).click();
    await page.getByRole('heading', { level: 1, name: 'New function' }).waitFor();
  });

  it('takes no name that is taken, and what was typed is not lost', async () => {
    const { page } = await browser.open('/dev/functions/create?integration=crm');
    await page.getByText('Action', { exact: true }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('taken');
    await page.getByRole('region', { name: 'The new file' }).getByText('crm/actions/taken.ts').waitFor();
    const create = page.getByRole('button', { name: /^Create and open/ });
    await expect.poll(() => create.isEnabled()).toBe(true);
    // Written by another program after the page looked.
    await mkdir(join(browser.hub.workspace, 'crm/actions'), { recursive: true });
    await writeFile(join(browser.hub.workspace, 'crm/actions/taken.ts'), '// mine');
    await create.click();

    await page.getByText('crm/actions/taken.ts exists already').waitFor();
    expect(await fileText('crm/actions/taken.ts')).toBe('// mine');
    await page.getByRole('tab', { name: 'By description' }).click();
    expect(await name.inputValue()).toBe('taken');
    await page.getByRole('link', { name: 'Functions' }).first().click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
  });

  it('by description is a prompt with the facts of the hub', { tags: ['nightly'] }, async () => {
    const { page, complaints } = await browser.open('/dev/functions/create?integration=crm&start=description');
    const copy = page.getByRole('button', { name: 'Copy the prompt' });
    await page.getByRole('region', { name: 'The prompt' }).getByText('https://api.hubapi.com').waitFor();
    expect(await copy.isEnabled()).toBe(false);
    await page.getByRole('textbox', { name: 'Name' }).fill('fetch-owners');
    await page.getByRole('textbox', { name: 'What should it do?' }).fill('Copy all owners, each hour.');
    await page.getByRole('region', { name: 'The prompt' }).getByText('crm/syncs/fetch-owners.ts').waitFor();
    await copy.click();

    const text = await browser.copied(page, /^Copy all owners, each hour\./);
    expect(text).toContain(join(browser.hub.workspace, 'crm/syncs/fetch-owners.ts'));
    expect(complaints).toEqual([]);
  });

  it('from OpenAPI is several functions, seen before they are written, and tried after', async () => {
    const { page, complaints } = await browser.open('/dev/functions/create?integration=crm&start=openapi');
    const file = (text: string) => ({ name: 'openapi.json', mimeType: 'application/json', buffer: Buffer.from(text) });
    const choose = page.locator('input[type=file]');
    await choose.setInputFiles(file('{"a": 1}'));
    await page.getByText('The API description cannot be used').waitFor();
    await choose.setInputFiles(file(JSON.stringify(ACME_DESCRIPTION)));

    const operations = page.getByRole('region', { name: 'Operations' });
    await operations.getByText('list data, next page cursor from meta.next_cursor, id id').waitFor();
    await operations.getByRole('searchbox').fill('tasks');
    await expect.poll(() => operations.getByRole('checkbox').count()).toBe(3);
    await operations.getByRole('searchbox').fill('');
    await operations.getByRole('checkbox', { name: /^GET\s*\/categories/ }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');

    const chosen = page.getByRole('region', { name: 'Chosen operations' });
    const name = chosen.getByRole('textbox', { name: 'GET /projects/{project_id}/notes' });
    await name.fill('fetch-categories');
    await chosen.getByText('Two of the chosen operations would be crm/syncs/fetch-categories.ts').waitFor();
    await name.fill('fetch-project-notes');
    await chosen.getByRole('button', { name: 'Code of fetch-project-notes' }).click();
    await chosen.getByText('createSync').first().waitFor();
    const write = chosen.getByRole('button', { name: 'Write 2 functions' });
    await expect.poll(() => write.isEnabled()).toBe(true);
    await write.click();

    const written = page.getByRole('region', { name: 'Written functions' });
    await expect.poll(() => written.getByText('Passed').count()).toBe(2);
    expect(await written.getByText('OK', { exact: true }).count()).toBe(2);
    expect(await fileText('crm/syncs/fetch-project-notes.ts')).toContain('createSync');
    expect(await fileText('crm/homeport-api.d.ts')).toContain('/projects/');
    await written.getByRole('link', { name: 'fetch-project-notes' }).click();
    await page.getByRole('heading', { level: 1, name: 'fetch-project-notes' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('from a template leads to the template', async () => {
    const { page } = await browser.open('/dev/functions/create?integration=crm&start=template');
    await page.getByRole('link', { name: /^fetch-companies/ }).click();
    await page.getByRole('region', { name: 'Template fetch-companies' }).waitFor();
  });

  it('has room for its form on a telephone', { tags: ['nightly'] }, async () => {
    for (const start of ['', 'description', 'openapi', 'template']) {
      const { page } = await browser.open(`/dev/functions/create?integration=crm&start=${start}`, { width: 420 });
      await page.getByRole('heading', { level: 1, name: 'New function' }).waitFor();
      await expectToFitWindow(page);
    }
  });
});

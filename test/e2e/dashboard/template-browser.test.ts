// @module-tag slow
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { HubBrowser } from './hub-browser.ts';

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
});
afterAll(() => browser?.stop());

const addIntegration = (key: string, provider = 'hubspot'): Promise<unknown> =>
  browser.api('POST', '/integrations', {
    provider,
    unique_key: key,
    credentials: { type: 'OAUTH2', client_id: 'id', client_secret: 'secret' },
  });

const saved = (path: string): Promise<string> => readFile(join(browser.hub.workspace, path), 'utf8');

describe('the templates of an integration', () => {
  it('are found, read and added, and run then', { tags: ['main-path'] }, async () => {
    await addIntegration('crm');
    const { page, complaints } = await browser.open('/dev/integrations/crm');

    await page.getByRole('link', { name: 'Choose from 4 templates' }).click();
    const list = page.getByRole('navigation', { name: 'Templates' });
    await list.getByRole('button', { name: /^fetch-contacts/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('creates contact');
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
    // The first one is shown without being chosen, and stays when it is added.
    const detail = page.getByRole('region', { name: 'Template create-contact' });
    await detail.getByText('createAction').first().waitFor();
    await detail.getByRole('tab', { name: 'Input' }).click();
    await detail.getByRole('row').filter({ hasText: 'email' }).first().waitFor();
    await detail.getByRole('button', { name: 'Add to my functions' }).click();

    await page.getByText('create-contact is in your functions folder').waitFor();
    await detail.getByRole('link', { name: 'Open in editor' }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Open');
    expect(await saved('crm/actions/create-contact.ts')).toContain('createAction');
    await page.getByRole('textbox', { name: 'Name or description' }).fill('');
    await expect.poll(() => list.getByRole('listitem').count()).toBe(4);
    // Templates that are not in the folder come first.
    await expect.poll(() => list.getByRole('listitem').last().textContent()).toContain('create-contact');
    await detail.getByRole('link', { name: 'Open', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'create-contact' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('are tried over their recorded run before they are added, and a sync asks first', async () => {
    await addIntegration('crm-tried');
    const { page, complaints } = await browser.open(
      '/dev/integrations/crm-tried/templates?template=fetch-contacts&type=sync',
    );
    const detail = page.getByRole('region', { name: 'Template fetch-contacts' });
    await detail.getByRole('tab', { name: 'Try it' }).click();
    await detail.getByRole('button', { name: 'Run', exact: true }).click();
    const result = detail.getByRole('region', { name: 'Result' });
    await result.getByText('/crm/v3/objects/contacts').first().waitFor();
    await result
      .getByRole('heading', { name: /records? saved/ })
      .first()
      .waitFor();

    await detail.getByRole('button', { name: 'Add to my functions' }).click();
    const question = page.getByRole('dialog', { name: 'Add fetch-contacts?' });
    await question.getByText(/^It is deployed at once/).waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(saved('crm-tried/syncs/fetch-contacts.ts')).rejects.toThrow('ENOENT');
    await detail.getByRole('button', { name: 'Add to my functions' }).click();
    await question.getByRole('button', { name: 'Add and deploy' }).click();
    await page.getByText('fetch-contacts is in your functions folder').waitFor();
    expect(complaints).toEqual([]);
  });

  it('show how a file that was changed differs', async () => {
    await addIntegration('crm-changed');
    await mkdir(join(browser.hub.workspace, 'crm-changed/actions'), { recursive: true });
    await writeFile(join(browser.hub.workspace, 'crm-changed/actions/add-note.ts'), '// a note of mine\n');

    const { page } = await browser.open('/dev/integrations/crm-changed/templates?template=add-note&type=action');

    const detail = page.getByRole('region', { name: 'Template add-note' });
    await detail.getByRole('tab', { name: 'Difference' }).click();
    await detail.getByText('// a note of mine').waitFor();
    await page.getByRole('navigation', { name: 'Templates' }).getByText('Changed').waitFor();
  });

  it('say which file is in the way, one at a time in a narrow window', async () => {
    await addIntegration('crm-own');
    await mkdir(join(browser.hub.workspace, 'crm-own'), { recursive: true });
    await writeFile(join(browser.hub.workspace, 'crm-own/models.ts'), '// mine\n');

    const { page } = await browser.open('/dev/integrations/crm-own/templates', { width: 400 });

    await page.getByRole('button', { name: /^create-contact/ }).click();
    await page.getByText('crm-own/models.ts exists with different content').waitFor();
    expect(await page.getByRole('button', { name: 'Add to my functions' }).isDisabled()).toBe(true);
    await expectToFitWindow(page);
    await page.getByRole('button', { name: 'All templates' }).click();
    await page.getByRole('button', { name: /^fetch-companies/ }).waitFor();
    await expectToFitWindow(page);
  });

  it('are not mentioned when a provider has none', async () => {
    await addIntegration('none', 'xero');
    const { page } = await browser.open('/dev/integrations/none');

    await page.getByRole('heading', { name: 'No functions yet' }).waitFor();
    expect(await page.getByRole('tab', { name: /emplates/ }).count()).toBe(0);
    await page.goto(`${browser.hub.url}/app/dev/integrations/none/templates`);
    await page.getByRole('heading', { name: 'No templates' }).waitFor();
    expect(await page.getByRole('tab', { name: 'Templates', exact: true }).count()).toBe(1);
    await page.getByText('none/actions/<name>.ts').waitFor();
    await page.getByRole('link', { name: 'Open functions' }).click();
    await page.getByRole('heading', { name: 'No functions yet' }).waitFor();
  });
});

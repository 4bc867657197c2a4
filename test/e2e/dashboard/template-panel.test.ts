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

describe('the templates of an integration', () => {
  it('are read and added from the empty tab, and run then', async () => {
    await addIntegration('crm');
    const { page, complaints } = await browser.open('/dev/integrations/crm');

    await page.getByRole('button', { name: 'Choose from 4 templates' }).click();
    const panel = page.getByRole('complementary', { name: 'Templates' });
    await panel.getByRole('button', { name: 'Code of create-contact' }).click();
    await panel.getByText('createAction').first().waitFor();
    await panel.getByRole('button', { name: 'Add create-contact to my functions' }).click();

    await page.getByText('create-contact is in your functions folder').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'create-contact' });
    await row.getByText('OK', { exact: true }).waitFor();
    await panel.getByRole('link', { name: 'Open create-contact' }).click();
    await page.getByRole('heading', { level: 1, name: 'create-contact' }).waitFor();
    expect(await readFile(join(browser.hub.workspace, 'crm/actions/create-contact.ts'), 'utf8')).toContain(
      'createAction',
    );
    expect(complaints).toEqual([]);
  });

  it('say which file is in the way', async () => {
    await addIntegration('crm-own');
    await mkdir(join(browser.hub.workspace, 'crm-own'), { recursive: true });
    await writeFile(join(browser.hub.workspace, 'crm-own/models.ts'), '// mine\n');

    const { page } = await browser.open('/dev/integrations/crm-own?templates=open', { width: 400 });

    await page.getByText('crm-own/models.ts is there with other content').first().waitFor();
    expect(await page.getByRole('button', { name: 'Add create-contact to my functions' }).isDisabled()).toBe(true);
    await expectToFitWindow(page);
  });

  it('are not spoken of where a provider has none', async () => {
    await addIntegration('none', 'xero');
    const { page } = await browser.open('/dev/integrations/none');

    await page.getByRole('heading', { name: 'No functions yet' }).waitFor();
    expect(await page.getByRole('button', { name: /emplates/ }).count()).toBe(0);
  });
});

// @module-tag slow
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { step } from '../../support/step.ts';
import { HubBrowser } from './hub-browser.ts';

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
  await importPracticeConnection(browser.hub);
});
afterAll(() => browser?.stop());

const RECORDS = '/dev/connections/practice/me/records/Seed';

const fileOf = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

describe('the import of records', () => {
  it('shows what changes, imports it, and shows the records', async () => {
    const { page, complaints } = await browser.open(RECORDS);
    await page.getByText('No records', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Import into Seed' });
    await dialog.locator('input[type=file]').setInputFiles(fileOf('seeds.csv', 'id,title,n\n1,First,5\n2,Second,7\n'));
    await dialog.getByText('No sync declares this model').waitFor();
    await dialog.getByText('Read as: title (text), n (number).').waitFor();

    await dialog.getByRole('button', { name: 'Import 2 changes' }).click();
    await page.getByRole('grid', { name: 'Records of Seed' }).getByText('Second').waitFor();
    await dialog.waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
  });

  it('names the rows that cannot be imported, and imports nothing', async () => {
    const { page } = await browser.open(RECORDS, { scheme: 'dark' });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Import into Seed' });
    await dialog.locator('input[type=file]').setInputFiles(fileOf('seeds.ndjson', '{"id":"9"}\n{"title":"no id"}\n'));
    const row = dialog.getByRole('table', { name: 'Rows that cannot be imported' }).getByRole('row').nth(1);
    await row.filter({ hasText: /line 2\s*id\s*is missing: every record needs an id/ }).waitFor();
    expect(await dialog.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);

    await dialog.locator('input[type=file]').setInputFiles(fileOf('seeds.txt', '[{"id":"9"}]'));
    await dialog.getByRole('combobox', { name: 'Format' }).click();
    await page.getByRole('option', { name: 'JSON', exact: true }).click();
    await dialog.getByRole('button', { name: 'Import 1 change' }).waitFor();
  });
  it('is offered where a connection has no records yet, and asks for the model', async () => {
    const { integration, connectionId } = await importPracticeConnection(browser.hub, { integration: 'empty' });
    const { page, complaints } = await browser.open(`/dev/connections/${integration}/${connectionId}/records`, {
      width: 420,
    });
    await page.getByText('No records yet', { exact: true }).waitFor();
    await step('a model is named, and a wrong name is said at its field', async () => {
      await page.getByRole('button', { name: 'Import records' }).click();
      const dialog = page.getByRole('dialog', { name: 'Import records' });
      expect(await dialog.getByRole('button', { name: 'Choose a file' }).isDisabled()).toBe(true);
      await dialog.getByRole('combobox', { name: 'Model' }).fill('contact');
      await dialog.locator('input[type=file]').setInputFiles(fileOf('people.json', '[{"id":"1","name":"Kim"}]'));
      await dialog.getByText('Begin with a capital letter').waitFor();
      // The field is left as soon as the page knows what was typed.
      await dialog.getByRole('combobox', { name: 'Model' }).evaluate(async (field) => {
        const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value') ?? {};
        field.focus();
        set?.call(field, 'Contact');
        field.dispatchEvent(new Event('input', { bubbles: true }));
        for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
        field.blur();
      });
      await dialog.getByRole('button', { name: 'Import 1 change' }).click();
    });
    await page.getByRole('grid', { name: 'Records of Contact' }).getByText('Kim').waitFor();
    await step('it stays there beside the models', async () => {
      await page.goBack();
      await page.getByRole('grid', { name: 'Models' }).getByText('Contact').waitFor();
      await page.getByRole('button', { name: 'Import records' }).waitFor();
    });
    expect(complaints).toEqual([]);
  });

  it('says that a file changed after it was chosen', async () => {
    const path = join(browser.hub.home, 'seeds.ndjson');
    await writeFile(path, '{"id":"20"}\n');
    const { page } = await browser.open(RECORDS);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Import into Seed' });
    await dialog.locator('input[type=file]').setInputFiles(path);
    const button = dialog.getByRole('button', { name: 'Import 1 change' });
    await button.waitFor();
    await writeFile(path, '{"id":"20"}\n{"id":"21"}\n');
    await button.click();
    await dialog.getByText('The file was changed or removed. Choose it again.').waitFor();
  });
});

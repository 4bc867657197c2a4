// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
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
  it('shows what changes, imports it, and shows the records', { tags: ['main-path'] }, async () => {
    const { page, complaints } = await browser.open(RECORDS);
    await page.getByText('No records', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Import into Seed' });
    await dialog.locator('input[type=file]').setInputFiles(fileOf('seeds.csv', 'id,title,n\n1,First,5\n2,Second,7\n'));
    await dialog.getByText('No sync declares this model').waitFor();
    await dialog.getByText('Read as: title (text), n (number).').waitFor();

    await dialog.getByRole('button', { name: 'Import 2 changes' }).click();
    await page.getByRole('grid', { name: 'Records of Seed' }).getByText('Second').waitFor();
    expect(await dialog.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('names the rows that cannot be imported, and imports nothing', async () => {
    const { page } = await browser.open(RECORDS, { scheme: 'dark' });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Import into Seed' });
    await dialog.locator('input[type=file]').setInputFiles(fileOf('seeds.ndjson', '{"id":"9"}\n{"title":"no id"}\n'));
    const row = dialog.getByRole('table', { name: 'Rows that cannot be imported' }).getByRole('row').nth(1);
    expect(await row.innerText()).toMatch(/line 2\s+id\s+is missing: every record needs an id/);
    expect(await dialog.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);

    await dialog.locator('input[type=file]').setInputFiles(fileOf('seeds.txt', '[{"id":"9"}]'));
    await dialog.getByRole('combobox', { name: 'Format' }).click();
    await page.getByRole('option', { name: 'JSON', exact: true }).click();
    await dialog.getByRole('button', { name: 'Import 1 change' }).waitFor();
  });
});

// @module-tag slow
import { expect, it } from 'vitest';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

it('writes Parquet files into a folder, says that they are not encrypted, and is switched off', async () => {
  const { page, complaints } = await browser.open('/app/dev/destinations');
  const section = page.locator('section', { hasText: 'Parquet files' });
  await section.getByText('Off.').waitFor();
  await section.getByRole('button', { name: 'Choose a folder' }).click();
  const dialog = page.getByRole('dialog', { name: 'Parquet files' });
  await dialog.getByText('These files are not encrypted').waitFor();
  expect(await dialog.getByLabel('Folder').inputValue()).toBe('/home/kim/Homeport/dev');
  await dialog.getByRole('button', { name: 'Write the files' }).click();
  await section.getByRole('cell', { name: 'practice/Issue.parquet' }).waitFor();
  await expectToFitWindow(page);

  await section.getByRole('button', { name: 'Change' }).click();
  await dialog.getByLabel('Folder').waitFor();
  expect(await dialog.getByText('not encrypted').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await section.getByRole('button', { name: 'Switch off' }).click();
  await section.getByText('Off.').waitFor();
  expect(complaints).toEqual([]);
});

// @module-tag slow
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

it('runs a statement by keyboard, shows rows and bars, and keeps the statement in the address', {
  tags: ['main-path'],
}, async () => {
  const { page, complaints } = await browser.open('/app/dev/query');
  const editor = page.getByRole('textbox', { name: 'Statement' });
  await page.getByText('Issue', { exact: true }).waitFor();
  await editor.click();
  await page.keyboard.type('select state, count(*) as issues from practice.');
  await page.getByRole('option', { name: 'Issue', exact: true }).waitFor();
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.type('SELECT state, count(*) AS issues FROM practice.Issue GROUP BY state');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('cell', { name: '42' }).waitFor();
  expect(new URL(page.url()).searchParams.get('sql')).toContain('GROUP BY state');

  await page.getByText('Chart', { exact: true }).click();
  await page.getByRole('table', { name: 'Chart of issues' }).getByText('waiting').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  expect(await readFile(await (await download).path(), 'utf8')).toBe(
    'state,issues\r\nopen,42\r\nclosed,17\r\nwaiting,5\r\n',
  );
  await expectToFitWindow(page);
  expect(complaints).toEqual([]);
});

it('shows the first rows of a view, and why a statement failed', async () => {
  const { page } = await browser.open('/app/dev/query');
  await page.getByRole('button', { name: 'Show rows of practice.Issue' }).click();
  await page.getByRole('cell', { name: 'Issue number 30' }).waitFor();
  await page.getByRole('textbox', { name: 'Statement' }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.type('SELECT 1 FROM nothing');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('Table with that name does not exist!').waitFor();
});

it('saves a query with the values of its placeholders, renames and deletes it', async () => {
  const { page, complaints } = await browser.open('/app/dev/query');
  const saved = page.getByRole('region', { name: 'Saved queries' });
  await saved.getByRole('button', { name: 'Issues by state' }).first().click();
  await page.getByRole('cell', { name: '42' }).waitFor();
  await page.getByRole('textbox', { name: 'Statement' }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.type('SELECT id FROM practice.Issue WHERE state = $state');
  await page.getByLabel('$state').fill('open');
  await page.getByLabel('$state').press('Enter');
  await page.getByRole('cell', { name: 'Issue number 30' }).waitFor();

  await page.getByRole('button', { name: 'Save query' }).click();
  const name = page.getByLabel('Name of the query');
  expect(await name.inputValue()).toBe('Issues by state');
  await name.fill('Open ones');
  await page.keyboard.press('Enter');
  await saved.getByRole('button', { name: 'Open ones', exact: true }).waitFor();
  await saved.getByRole('button', { name: 'More for Open ones' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Open issues');
  await page.keyboard.press('Enter');
  await saved.getByRole('button', { name: 'Open issues', exact: true }).waitFor();
  await expectToFitWindow(page);
  await saved.getByRole('button', { name: 'More for Open issues' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete query' }).click();
  await saved.getByRole('button', { name: 'Open issues', exact: true }).waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

// @module-tag slow
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { browserOfFile } from './dashboard-browser.ts';

const browser = browserOfFile();

/** It is in the window, and none of its text is cut. */
async function expectWhole(text: Locator): Promise<void> {
  await text.waitFor();
  expect(await text.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
  const { width = 0 } = text.page().viewportSize() ?? {};
  const box = await text.boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
}

it('shows what waits and why, and what can be done about it', async () => {
  const { page, complaints } = await browser.open('/app/dev/destinations');
  await page.getByText('Files for pandas').waitFor();
  await expectWhole(page.getByText(/^Records do not reach Warehouse. .* cannot be reached: ECONNREFUSED.$/));
  await page.getByRole('row', { name: /Warehouse/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Warehouse' });
  await dialog.getByText('PostgreSQL at warehouse.internal:5432 cannot be reached: ECONNREFUSED.').waitFor();
  await dialog.getByText('240 changes, 1.6 min behind').first().waitFor();
  expect(new URL(page.url()).searchParams.get('destination')).not.toBeNull();
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await dialog.getByText('PostgreSQL 15.3 answers.').waitFor();
  await dialog.getByRole('button', { name: 'Deliver again…' }).click();
  const again = page.getByRole('dialog', { name: 'Deliver again' });
  await again.getByLabel('Changes since').fill('2026-01-31T09:00');
  await again.getByRole('button', { name: 'Deliver again' }).click();
  await page.getByRole('dialog', { name: 'Warehouse' }).waitFor();
  await expectToFitWindow(page);
  expect(complaints).toEqual([]);
});

it('says in a narrow window too what fails, and why', async () => {
  const { page } = await browser.open('/app/dev/destinations', { width: 420 });
  await expectWhole(page.getByText(/^Records do not reach Warehouse. .* cannot be reached: ECONNREFUSED.$/));
  await expectWhole(page.getByRole('row', { name: /Warehouse/ }).getByText('Failing'));
  await expectToFitWindow(page);
  await page.getByRole('button', { name: 'Open Warehouse' }).click();
  await page.getByRole('dialog', { name: 'Warehouse' }).waitFor();
});

it('creates a destination after a test of its connection', async () => {
  const { page } = await browser.open('/app/dev/destinations');
  await page.getByRole('button', { name: 'New destination' }).click();
  const dialog = page.getByRole('dialog', { name: 'New destination' });
  await dialog.getByLabel('Name').fill('Copy');
  await dialog
    .getByRole('textbox', { name: 'Connection', exact: true })
    .fill('postgres://me:secret@localhost:5432/data');
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await dialog.getByText('PostgreSQL at localhost:5432 cannot be reached: ECONNREFUSED.').waitFor();
  await dialog.getByText('NDJSON files', { exact: true }).click();
  await dialog.getByLabel('Folder').fill('/home/me/records');
  await dialog.getByRole('button', { name: 'Create destination' }).click();
  await page.getByText('gets records from now on').waitFor();
});

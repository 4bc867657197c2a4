// @module-tag slow
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { step } from '../../support/step.ts';
import { waitFor } from '../../support/wait-for.ts';
import { HubBrowser } from './hub-browser.ts';

let browser: HubBrowser;
let receiver: Server;
let address: string;
let status = 500;

beforeAll(async () => {
  browser = await HubBrowser.start();
  receiver = createServer((_request, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const at = receiver.address();
  address = `http://127.0.0.1:${typeof at === 'object' && at ? at.port : 0}/records`;
});
afterAll(async () => {
  receiver?.closeAllConnections();
  await new Promise((resolve) => receiver?.close(resolve));
  await browser?.stop();
});

it('is told in the dialog, in the overview and by a notification, until records reach it again', async () => {
  await importPracticeConnection(browser.hub);
  const imported = await fetch(`${browser.hub.url}/records/import?model=Note&format=ndjson`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${browser.hub.secretKey}`,
      'connection-id': 'me',
      'provider-config-key': 'practice',
    },
    body: '{"id":"1"}\n{"id":"2"}',
  });
  expect(imported.status, await imported.text()).toBe(200);
  const { complaints, page } = await browser.open('/dev/destinations');

  await step('a test says what is wrong before it is created', async () => {
    await page.getByRole('button', { name: 'New destination' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New destination' });
    await dialog.getByText('HTTP', { exact: true }).click();
    await dialog.getByLabel('Name').fill('Receiver');
    await dialog.getByRole('textbox', { name: 'Address' }).fill(address);
    await dialog.getByRole('button', { name: 'Test connection' }).click();
    await dialog.getByText('The address answered 500.').waitFor();
    await dialog.getByRole('button', { name: 'Create destination' }).click();
    await dialog.waitFor({ state: 'hidden' });
  });
  const row = page.getByRole('row', { name: /Receiver/ });
  await step('it fails with what waits', async () => {
    await row.getByText('Failing').waitFor();
    await row.click();
    const dialog = page.getByRole('dialog', { name: 'Receiver' });
    await dialog.getByText('The changes wait; none is lost.', { exact: false }).waitFor();
    await dialog
      .getByText(/^2 changes/)
      .first()
      .waitFor();
    // A second failure in a row is told.
    await waitFor(
      async () => {
        await dialog.getByRole('button', { name: 'Retry now' }).click();
        return dialog.getByText(/Failed [2-9]\d* times in a row/).isVisible();
      },
      { what: 'another failure' },
    );
  });
  await step('the overview and a notification lead to it', async () => {
    await page.getByRole('dialog').press('Escape');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: 'Open the destination Receiver' }).click();
    await page.getByRole('dialog', { name: 'Receiver' }).press('Escape');
    await page.getByRole('button', { name: /^Notifications/ }).click();
    await page.getByText('Records do not reach Receiver').first().waitFor();
    await page.keyboard.press('Escape');
  });
  await step('it is over when the address takes them', async () => {
    status = 204;
    await row.click();
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.getByRole('dialog').getByText('Up to date').waitFor();
    await page.getByRole('dialog').press('Escape');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Records do not reach Receiver').waitFor({ state: 'detached' });
  });
  expect(complaints).toEqual([]);
});

// @module-tag slow
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiCaller } from '../../contract/http/api-caller.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { HubBrowser } from './hub-browser.ts';

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
});
afterAll(() => browser?.stop());

it('shows what an app changes at a connection, as it happens', async () => {
  await importPracticeConnection(browser.hub, { integration: 'practice-2', connectionId: 'changed' });
  const { page } = await browser.open('/dev/connections/practice-2/changed');
  await page.getByRole('heading', { name: 'Metadata' }).waitFor();

  await browser.api('POST', '/connections/metadata', {
    connection_id: 'changed',
    provider_config_key: 'practice-2',
    metadata: { region: 'set by the app' },
  });

  await page.getByText('set by the app').waitFor();
});

it('shows what happened between the first answers and the opening of the stream', async () => {
  await importPracticeConnection(browser.hub);
  const { page, complaints } = await browser.open('/dev');
  let openStream = (): void => {};
  const isHeld = new Promise<void>((resolve) => {
    openStream = resolve;
  });
  await page.route('**/api/v1/events*', async (route) => {
    await isHeld;
    await route.continue();
  });
  await page.goto(`${browser.hub.url}/app/dev/connections`);
  await page.locator('[role=row][aria-rowindex="2"]').filter({ hasText: 'practice' }).waitFor();

  const end_user = { id: 'u1', display_name: 'Named meanwhile' };
  await browser.api('PATCH', '/connections/me?provider_config_key=practice', { end_user });
  openStream();

  await page.getByRole('row').filter({ hasText: 'Named meanwhile' }).waitFor();
  expect(complaints).toEqual([]);
});

it('says that the environment on the screen was renamed in another tab, which shows the new name', {
  tags: ['nightly'],
}, async () => {
  await browser.api('POST', '/environments', { name: 'old-name' });
  const { page } = await browser.open('/old-name/connections');
  await page.getByRole('heading', { name: 'No connections yet' }).waitFor();
  const other = await page.context().newPage();
  await other.goto(`${browser.hub.url}/app/old-name/environment-settings`);
  await other.getByRole('button', { name: 'Rename', exact: true }).click();
  await other.getByLabel('New name').fill('new-name');
  await other.getByRole('button', { name: 'Rename environment' }).click();

  await page.getByRole('heading', { name: 'There is no environment "old-name"' }).waitFor();
  await other.getByText('of environment new-name').waitFor();
  await other.close();
});

it('says that the environment on the screen was deleted elsewhere', { tags: ['nightly'] }, async () => {
  const made = await browser.api<{ data: { id: number } }>('POST', '/environments', { name: 'short-lived' });
  const { page } = await browser.open('/short-lived/connections');
  await page.getByRole('heading', { name: 'No connections yet' }).waitFor();

  await new ApiCaller(browser.hub).send(`DELETE /environments/${made.data.id}`);

  await page.getByRole('heading', { name: 'There is no environment "short-lived"' }).waitFor();
});

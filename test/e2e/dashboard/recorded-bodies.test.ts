// @module-tag slow
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { waitFor } from '../../support/wait-for.ts';
import { HubBrowser } from './hub-browser.ts';

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
  await importPracticeConnection(browser.hub);
});
afterAll(() => browser?.stop());

/** Sends a body through the proxy; the practice provider echoes it. */
async function ask(title: string): Promise<void> {
  const response = await fetch(`${browser.hub.url}/proxy/v1/echo`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${browser.hub.secretKey}`,
      ...{ 'provider-config-key': 'practice', 'connection-id': 'me', 'content-type': 'application/json' },
    },
    body: JSON.stringify({ title, password: 'hunter-2-hunter' }),
  });
  expect(response.status).toBe(200);
}

const calls = (page: Page) =>
  page.getByRole('grid', { name: 'Operations' }).getByRole('row').filter({ hasText: 'proxy:call' });

describe('recording of traffic', () => {
  it('is switched on with a limit, and the log then shows, copies and replays bodies until they are deleted', async () => {
    await ask('before');
    const { page, complaints } = await browser.open('/settings/data');
    const form = page.getByRole('form', { name: 'Traffic recording' });
    const deletion = page.getByRole('button', { name: 'Delete recordings' });
    await form.getByText('Recordings take 0 B of 200 MB').waitFor();
    expect(await deletion.isDisabled()).toBe(true);

    await form.getByRole('switch', { name: 'Record bodies' }).click();
    await form.getByLabel('Most megabytes of recordings').fill('5');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('From 10 to 10,000').waitFor();
    await form.getByLabel('Most megabytes of recordings').fill('50');
    await page.keyboard.press('Enter');
    await page.getByText('Traffic recording saved').waitFor();
    await ask('recorded');
    await form.getByText(/Recordings take \d.* of 50 MB/).waitFor();
    await waitFor(() => deletion.isEnabled(), { what: 'something to delete' });

    await page.goto(`${browser.hub.url}/app/dev/logs`);
    const openNewest = async (): Promise<void> => {
      await calls(page).first().click();
      await page.getByRole('tab', { name: /^Requests/ }).click();
      await page.getByRole('grid', { name: 'Requests' }).getByText('/v1/echo').click();
    };
    await openNewest();
    const sent = page.getByRole('region', { name: 'request body', exact: true });
    await sent.getByText('"recorded"').waitFor();
    await sent.getByText('REDACTED').waitFor();
    await page.getByRole('heading', { name: /^Response body/ }).waitFor();
    await page.getByRole('region', { name: 'response body', exact: true }).getByText('"title"').waitFor();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    const command = await browser.copied(page, /^curl/);
    expect(command).toContain(`--data-raw '{"title":"recorded","password":"<fill in>"}'`);

    await page.getByRole('button', { name: 'Replay in playground' }).click();
    const sheet = page.getByRole('complementary', { name: 'Playground' });
    await expect.poll(() => sheet.getByRole('textbox', { name: 'Body' }).textContent()).toContain('"recorded"');

    await page.goto(`${browser.hub.url}/app/settings/data`);
    await deletion.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete recordings' }).click();
    await page.getByText('Recordings deleted').waitFor();
    await form.getByText('Recordings take 0 B of 50 MB').waitFor();
    await page.goto(`${browser.hub.url}/app/dev/logs`);
    await openNewest();
    await page.getByText('The bodies of this request were deleted.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('says of a request from before that nothing was recorded', async () => {
    const { page } = await browser.open('/dev/logs');
    await calls(page).last().click();
    await page.getByRole('tab', { name: /^Requests/ }).click();
    await page.getByRole('grid', { name: 'Requests' }).getByText('/v1/echo').click();
    await page.getByText('traffic recording').waitFor();
    await page.getByRole('link', { name: 'traffic recording' }).click();
    await page.getByRole('heading', { name: 'Traffic recording' }).waitFor();
  });
});

// @module-tag slow
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { nightlyEach } from '../../support/nightly-each.ts';
import { HubBrowser } from './hub-browser.ts';

const PATH = '/dev/environment-settings';
const DESTINATIONS = '/environment/webhook-destinations';

interface Served {
  data: Array<{ name: string | null; url: string; is_enabled: boolean; types: string[]; integrations: string[] }>;
}

let browser: HubBrowser;
let receiver: FakeProvider;
beforeAll(async () => {
  [browser, receiver] = await Promise.all([HubBrowser.start(), FakeProvider.start()]);
  receiver.on('POST /billing', { status: 202 });
  await browser.api('POST', '/integrations', { provider: 'practice', unique_key: 'notes', display_name: 'Notes' });
});
afterAll(async () => {
  await browser?.stop();
  await receiver?.stop();
});
beforeEach(async () => {
  await browser.api('PUT', DESTINATIONS, { destinations: [] });
});

const stored = async (): Promise<Served['data']> => (await browser.api<Served>('GET', DESTINATIONS)).data;
const url = (): string => `${receiver.address}/billing`;
const rows = (page: Page) => page.getByRole('list', { name: 'More destinations' });

describe('further webhook destinations in the settings', () => {
  it('are added with filters, say at the field what is wrong, and are tested, changed and deleted', async () => {
    const { page, complaints } = await browser.open(PATH);
    await page.getByText('None yet. Add one for a second app').waitFor();

    await page.getByRole('button', { name: 'Add destination' }).click();
    const adding = page.getByRole('dialog', { name: 'Add a destination' });
    await adding.getByLabel('URL').fill(`${browser.hub.url}/hook`);
    await page.keyboard.press('Enter');
    await adding.getByText('This is the address of Homeport itself.').waitFor();
    await adding.getByLabel('URL').fill('localhost:4000');
    await page.keyboard.press('Enter');
    await adding.getByText('Must be an http or https address.').waitFor();
    await adding.getByLabel('URL').fill(url());
    await adding.getByLabel('Name').fill('Billing');
    await adding.getByLabel('Events').fill('aut');
    await page.getByRole('option', { name: /^auth/ }).click();
    await adding.getByLabel('Integrations').fill('not');
    await page.getByRole('option', { name: 'Notes' }).click();
    // Closes the list of options, which covers the button; the dialog stays open.
    await page.keyboard.press('Escape');
    await adding.getByRole('button', { name: 'Add destination' }).click();
    await page.getByText('Billing added').waitFor();

    const list = rows(page);
    await list.getByText('auth of Notes').waitFor();
    expect(await stored()).toMatchObject([
      { name: 'Billing', url: url(), is_enabled: true, types: ['auth'], integrations: ['notes'] },
    ]);

    const actions = list.getByRole('button', { name: 'Actions for Billing' });
    await actions.click();
    await page.getByRole('menuitem', { name: 'Send a test event' }).click();
    await list.getByText('Delivered').waitFor();
    await list.getByText(/^202, /).waitFor();
    expect(receiver.requestsTo('/billing').map(({ body }) => JSON.parse(String(body)).type)).toEqual(['auth']);

    await list.getByRole('switch', { name: 'Send webhooks to Billing' }).click({ force: true });
    await expect.poll(async () => (await stored())[0]?.is_enabled).toBe(false);

    await actions.click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const editing = page.getByRole('dialog', { name: 'Edit Billing' });
    await editing.getByLabel('Name').fill('');
    await editing.getByLabel('Events').press('Backspace');
    await page.keyboard.press('Escape');
    await editing.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Destination saved').waitFor();
    await list.getByText('Everything of Notes').waitFor();
    expect(await stored()).toMatchObject([{ name: null, is_enabled: false, types: [], integrations: ['notes'] }]);

    await list.getByRole('button', { name: /^Actions for 127/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete destination' }).click();
    await page.getByText('None yet. Add one for a second app').waitFor();
    // It waits as long as the notice offers Undo.
    await page.getByRole('status').filter({ hasText: 'is being deleted' }).getByRole('button').last().click();
    await expect.poll(stored).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('are named in the list of outgoing webhooks', async () => {
    const [made] = (
      await browser.api<{ data: Array<{ id: string }> }>('PUT', DESTINATIONS, {
        destinations: [{ name: 'Billing', url: url() }],
      })
    ).data;
    expect(made).toBeDefined();
    const { page } = await browser.open(PATH);
    await rows(page).getByRole('button', { name: 'Actions for Billing' }).click();
    await page.getByRole('menuitem', { name: 'Send a test event' }).click();
    await rows(page).getByRole('link', { name: 'Details' }).click();
    await page.getByText('accepted it with 202').waitFor();

    await page.getByText('Destination', { exact: true }).waitFor();
    await page.getByRole('row').getByText('Billing').first().waitFor();
  });

  const widths = [320, 420, 1280].map((width) => [`${width}`, width] as const);
  nightlyEach(widths, 3)('fit a window %s wide', async (width) => {
    const long = 'a-very-long-name-without-any-break-'.repeat(4);
    await browser.api('PUT', DESTINATIONS, {
      destinations: [
        { url: `https://${'host-'.repeat(10)}example.com/${long}` },
        { name: 'Billing', url: url(), types: ['auth', 'sync', 'forward', 'async_action'], integrations: ['notes'] },
      ],
    });
    const { page } = await browser.open(PATH, { width });
    await rows(page)
      .getByText(/of Notes$/)
      .waitFor();
    await expectToFitWindow(page);

    await rows(page).getByRole('button', { name: 'Actions for Billing' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit Billing' });
    await dialog.getByText('async_action').waitFor();
    await expectToFitWindow(page);
    // Selected options wrap inside their field, which grows with them.
    const hiddenPixels = () =>
      dialog
        .locator('.mantine-MultiSelect-input')
        .evaluateAll((fields) => fields.map((field) => field.scrollHeight - field.clientHeight));
    await expect.poll(hiddenPixels).toEqual([0, 0]);
  });
});

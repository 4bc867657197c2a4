// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiCaller } from '../../contract/http/api-caller.ts';
import { DEVICE_CLIENTS, DeviceAuthorizer } from '../../support/device-authorizer.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ConnectBrowser } from './connect-browser.ts';

const KEY = 'certified';

let authorizer: DeviceAuthorizer;
let browser: ConnectBrowser;
beforeAll(async () => {
  authorizer = await DeviceAuthorizer.start();
  browser = await ConnectBrowser.start({ entries: `${KEY}: ${JSON.stringify(authorizer.entry())}` });
  const credentials = { type: 'OAUTH2', client_id: DEVICE_CLIENTS.public, scopes: 'openid,offline_access' };
  const body = { provider: KEY, unique_key: KEY, credentials };
  expect((await new ApiCaller(browser.hub).send('POST /integrations', { body })).status).toBe(200);
});
afterAll(async () => {
  await browser?.stop();
  await authorizer?.stop();
});

const open = async () => browser.openLink(await browser.session([KEY]), {}, { apiURL: browser.pageOrigin });

describe('a sign-in with a code', () => {
  it('shows the code, goes on after the page was loaded again, and ends when the person has entered it at the provider', async () => {
    const { page, complaints } = await open();
    await page.getByRole('button', { name: 'Connect Certified' }).click();
    const code = page.getByRole('status', { name: 'Your code' });
    const shown = await code.textContent();
    expect(shown).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
    await page
      .getByRole('img', { name: /QR code/ })
      .locator('path')
      .waitFor();

    await page.reload();

    await code.waitFor();
    expect(await code.textContent()).toBe(shown);
    const [provider] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Open Certified' }).click(),
    ]);
    await provider.getByRole('button', { name: 'Continue' }).click();
    await provider.getByRole('heading', { name: 'Sign-in Success' }).waitFor();

    await page.getByRole('heading', { name: 'Certified is connected' }).waitFor();
    // The provider's own page asks for a font.
    expect(complaints.filter((complaint) => !complaint.includes('fonts.googleapis.com'))).toEqual([]);
  });

  it('says that the person refused', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Connect Certified' }).click();
    const address = await page.getByRole('link', { name: 'Open Certified' }).getAttribute('href');
    await authorizer.enterCode(String(address), { agrees: false });

    await page.getByRole('heading', { name: 'Certified is not connected' }).waitFor();
    expect(await page.getByText('You did not allow access.').count()).toBe(1);
  });

  it('gives another code when the first has expired', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Connect Certified' }).click();
    const code = page.getByRole('status', { name: 'Your code' });
    const first = await code.textContent();
    browser.clock.skip(601_000);
    await page.getByRole('button', { name: 'New code' }).click();

    await waitFor(async () => (await code.textContent()) !== first);

    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Connect Certified' }).waitFor();
  });
});

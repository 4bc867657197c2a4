// @module-tag slow
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PRACTICE_CLIENT } from '../../../server/practice/authorization/practice-client.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { HubBrowser, type HubPage } from './hub-browser.ts';

let browser: HubBrowser;
beforeAll(async () => {
  browser = await HubBrowser.start();
});
afterAll(() => browser.stop());

interface Listed {
  connections: { connection_id: string; provider_config_key: string; errors: { type: string }[] }[];
}

/** Every test starts with a hub without integrations. */
beforeEach(async () => {
  const { data } = await browser.api<{ data: { unique_key: string }[] }>('GET', '/integrations');
  for (const { unique_key: key } of data) await browser.api('DELETE', `/integrations/${key}`);
});

const addPractice = (): Promise<unknown> =>
  browser.api('POST', '/integrations', { provider: 'practice', unique_key: 'practice' });
const addSignIn = (): Promise<unknown> =>
  browser.api('POST', '/integrations', {
    provider: 'practice-oauth2',
    unique_key: 'tracker',
    credentials: { type: 'OAUTH2', client_id: PRACTICE_CLIENT.id, client_secret: PRACTICE_CLIENT.secret },
  });

/** Continues from the connect page to the provider's, and approves there. */
async function allow({ page, connect }: HubPage): Promise<void> {
  const [popup] = await Promise.all([
    page.context().waitForEvent('page'),
    connect.getByRole('button', { name: /^(Reconnect|Connect) / }).click(),
  ]);
  const closes = popup.waitForEvent('close');
  await popup.getByRole('button', { name: 'Allow' }).click();
  await closes;
}

describe('connecting an account', () => {
  it('takes two clicks and the consent of the practice account from an empty hub', {
    tags: ['main-path'],
  }, async () => {
    const opened = await browser.open('/dev/connections/create');
    await opened.page.getByRole('button', { name: 'Try the practice provider' }).click();

    await allow(opened);

    await opened.page.waitForURL('**/app/dev/connections/practice-oauth2/*');
    await opened.page.getByText('Connected', { exact: true }).waitFor();
    await opened.page.getByText('issues:write').waitFor();
    expect(await opened.page.locator('#connect-ui').count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });

  it('is under the policies of both pages: a script that they refuse is a complaint', async () => {
    const { page, complaints } = await browser.open('/dev/connections');
    for (const path of ['/app/dev/connections', '/connect/']) {
      await page.goto(`${browser.hub.url}${path}`);
      complaints.length = 0;
      await page.evaluate(() => {
        const script = document.createElement('script');
        script.textContent = 'window.name = "ran"';
        document.head.append(script);
      });
      await expect.poll(() => complaints).toEqual([expect.stringContaining('Content Security Policy')]);
      expect(await page.evaluate(() => window.name)).toBe('');
    }
  });

  it('is offered with the practice account where an integration of it has no connection', {
    tags: ['nightly'],
  }, async () => {
    await browser.api('POST', '/integrations', {
      provider: 'practice-oauth1',
      unique_key: 'signed',
      credentials: { type: 'OAUTH1', client_id: PRACTICE_CLIENT.id, client_secret: PRACTICE_CLIENT.secret },
    });
    const opened = await browser.open('/dev/integrations/signed/connections');
    await opened.page.getByRole('button', { name: 'Try the practice provider' }).click();

    await allow(opened);

    await opened.page.waitForURL('**/app/dev/connections/signed/*');
  });

  it('begins preselected on an integration, by keyboard alone, with the user and tags that were typed', async () => {
    await addPractice();
    await addSignIn();
    const { page, connect, complaints } = await browser.open('/dev/integrations/practice');
    await page.getByRole('link', { name: 'New connection' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Test user ID').focus();
    const chosen = page.getByRole('combobox', { name: 'Integration' });
    await expect.poll(() => chosen.inputValue()).toBe('Practice tracker (practice)');

    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('u7');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Una');
    await page.getByRole('button', { name: 'Add tag' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Tag 1, name').focus();
    await page.keyboard.type('plan');
    await page.keyboard.press('Tab');
    await page.keyboard.type('pro');
    await page.keyboard.press('Enter');
    await connect.getByRole('textbox').fill('practice-by-keyboard');
    await page.keyboard.press('Enter');

    await page.waitForURL('**/app/dev/connections/practice/*');
    const side = page.getByLabel('About this connection');
    await page.getByText('plan: pro').first().waitFor();
    await side.getByText('u7', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('keeps the overlay until its own page closes it, and gives the focus back', async () => {
    await addPractice();
    const { page, connect } = await browser.open('/dev/connections/create');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await connect.getByRole('textbox').waitFor();

    await page.evaluate(() => {
      window.postMessage({ type: 'close' }, '*');
      window.postMessage({ type: 'connect', payload: { providerConfigKey: 'practice', connectionId: 'forged' } }, '*');
    });
    await connect.getByRole('textbox').fill('practice-typed');
    expect(page.url()).not.toContain('forged');

    await connect.getByRole('button', { name: 'Close' }).click();
    await connect.getByRole('button', { name: 'Leave' }).click();
    await page.locator('#connect-ui').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Connect');
  });

  it('shows errors at the fields before anything starts', async () => {
    await addSignIn();
    const { page } = await browser.open('/dev/connections/create');
    await page.getByLabel('Test user ID').fill('');
    await page.getByLabel('E-mail (optional)').fill('nobody');
    await page.getByText('Advanced').click();
    await page.getByLabel('Webhook address (optional)').fill('there');
    await page.getByText('Advanced').click();

    await page.getByRole('button', { name: 'Connect', exact: true }).click();

    await page.getByText('Enter the ID of the user in your app.').waitFor();
    await page.getByText('Enter an e-mail address.').waitFor();
    await page.getByText('Enter an address that starts with').waitFor();
    expect(await page.locator('#connect-ui').count()).toBe(0);
  });

  it('shares a link that another browser connects with', async () => {
    await addPractice();
    const { page } = await browser.open('/dev/connections/create?integration_id=practice');
    await page.getByRole('button', { name: 'Share link' }).click();
    await page.getByText('Opens in any browser of this computer.').waitFor();

    const connectLink = /^http:\/\/localhost:\d+\/connect\/\?session_token=nango_connect_session_/;
    await page.goto(await browser.copied(page, connectLink));
    await page.getByRole('textbox').fill('practice-by-link');
    await page.getByRole('button', { name: /^Connect / }).click();
    await page.getByText('You can close this tab').waitFor();

    const { connections } = await browser.api<Listed>('GET', '/connections');
    expect(connections.map((one) => one.provider_config_key)).toEqual(['practice']);
  });

  it('fits 320 pixels', { tags: ['nightly'] }, async () => {
    await addSignIn();
    const { page, connect } = await browser.open('/dev/connections/create', { width: 320 });
    await page.getByText('Advanced').click();
    await page.getByRole('button', { name: 'Add tag' }).click();
    await expectToFitWindow(page);

    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await connect.getByRole('button', { name: /^Connect / }).waitFor();
    expect(await connect.locator('html').evaluate((html) => html.scrollWidth)).toBeLessThanOrEqual(320);
  });
});

describe('reconnecting', () => {
  it('clears the error of a refresh that failed, without loading the page again', { tags: ['nightly'] }, async () => {
    await addSignIn();
    const opened = await browser.open('/dev/connections/create');
    const { page } = opened;
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await allow(opened);
    await page.waitForURL('**/app/dev/connections/tracker/*');
    await revokeAt(page.url());
    await page.evaluate(() => {
      (window as { isSamePage?: boolean }).isSamePage = true;
    });

    await page.getByRole('button', { name: 'Refresh the token', exact: true }).click();
    await page.getByText('The token could not be refreshed.').waitFor();
    await page.getByRole('tab', { name: /Syncs/ }).click();
    await page.getByRole('button', { name: 'Reconnect' }).click();
    await allow(opened);

    await page.getByText('The token could not be refreshed.').waitFor({ state: 'detached' });
    await page.getByText('Healthy').waitFor();
    // The notice is gone with the button that began it.
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    expect(await page.evaluate(() => (window as { isSamePage?: boolean }).isSamePage)).toBe(true);
    const { connections } = await browser.api<Listed>('GET', '/connections');
    expect(connections).toMatchObject([{ provider_config_key: 'tracker', errors: [] }]);
    expect(page.url()).toContain(connections[0]?.connection_id);
  });
});

/** The provider revokes its tokens. */
async function revokeAt(connectionPage: string): Promise<void> {
  const connectionId = new URL(connectionPage).pathname.split('/').at(-1);
  const { credentials } = await browser.api<{ credentials: { refresh_token: string } }>(
    'GET',
    `/connections/${connectionId}?provider_config_key=tracker&refresh_token=true`,
  );
  const { data } = await browser.api<{ data: { token_url: string } }>('GET', '/providers/practice-oauth2');
  const response = await fetch(new URL('/oauth/revoke', data.token_url), {
    method: 'POST',
    body: new URLSearchParams({
      token: credentials.refresh_token,
      client_id: PRACTICE_CLIENT.id,
      client_secret: PRACTICE_CLIENT.secret,
    }),
  });
  expect(response.status).toBe(200);
}

// @module-tag slow
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PRACTICE_CLIENT } from '../../../server/practice/authorization/practice-client.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { HubBrowser } from './hub-browser.ts';

let browser: HubBrowser;
let own: string;
beforeAll(async () => {
  browser = await HubBrowser.start();
  own = `http://localhost:${new URL(browser.hub.url).port}/oauth/callback`;
  const client = { type: 'OAUTH2', client_id: PRACTICE_CLIENT.id, client_secret: PRACTICE_CLIENT.secret };
  await browser.api('POST', '/integrations', {
    provider: 'practice-oauth2',
    unique_key: 'tracker',
    credentials: client,
  });
  await browser.api('POST', '/integrations', { provider: 'slack', unique_key: 'slack', credentials: client });
});
afterEach(() => browser.api('PATCH', '/environment/settings', { callback_url: null }));
afterAll(() => browser.stop());

const FIELD = 'Address or text of its error page';

describe('the page about the callback address', () => {
  it('is found beside the address and says what differs in a pasted error', async () => {
    const { page, complaints } = await browser.open('/dev/integrations/tracker/settings');
    await page.getByRole('link', { name: 'Check or change it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Callback address' }).waitFor();

    const asked = own.replace('localhost', '127.0.0.1');
    await page
      .getByLabel(FIELD)
      .fill(`https://provider.example/authorize?redirect_uri=${encodeURIComponent(asked)}&x=1`);

    await page
      .getByText(`The provider was asked with ${asked}, register ${own} and connect again: the host differs.`)
      .waitFor();
    expect(await page.locator('tr[data-differs]').allInnerTexts()).toHaveLength(1);
    await page.getByLabel(FIELD).fill('Error 400: redirect_uri_mismatch');
    await page.getByText('does not say which one it received').waitFor();
    expect(complaints).toEqual([]);
  });

  it('copies the address and finds that the hub answers there', async () => {
    const { page, complaints } = await browser.open('/dev/integrations/tracker/callback');
    await page.getByRole('button', { name: 'Copy callback address' }).click();
    expect(await browser.copied(page, /^http/)).toBe(own);

    await page.getByRole('button', { name: 'Test the address' }).click();

    await page.getByText('Homeport itself answers there.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('says when another program answers', async () => {
    await browser.api('PATCH', '/environment/settings', { callback_url: 'http://127.0.0.1:1/oauth/callback' });
    const { page } = await browser.open('/dev/integrations/tracker/callback');

    await page.getByRole('button', { name: 'Test the address' }).click();

    await page.getByText('Does not answer').waitFor();
  });

  it('warns of a provider that takes only https, and changes the address by keyboard', async () => {
    const { page } = await browser.open('/dev/integrations/slack/callback');
    await page.getByText('Slack takes only addresses that start with https.').waitFor();
    const redirector = `https://redirectmeto.com/${own}`;

    await page.getByRole('radio', { name: /This computer as localhost/ }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('button', { name: 'Use this address' }).focus();
    await page.keyboard.press('Enter');

    await page.getByText('Slack takes only addresses').waitFor({ state: 'detached' });
    await page.getByText(`It redirects to ${own}.`).waitFor();
    const { data } = await browser.api<{ data: { callback_url: string } }>('GET', '/environment/settings');
    expect(data.callback_url).toBe(redirector);
    const session = await browser.api<{ data: { connect_link: string } }>('POST', '/connect/sessions', {
      end_user: { id: 'u' },
    });
    expect(new URL(session.data.connect_link).origin).toBe(new URL(own).origin);
  });

  it('refuses an invalid address', async () => {
    const { page } = await browser.open('/dev/callback');
    await page.getByRole('radio', { name: /Another address/ }).check();
    await page.getByRole('textbox', { name: 'Address', exact: true }).fill('hub.example.com');
    await page.getByRole('button', { name: 'Use this address' }).click();

    await page.getByText('Enter an address that starts with http:// or https://.').waitFor();
  });

  it('is where a sign-in that failed for its redirect address leads', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open('/dev/connections');
    const { data } = await browser.api<{ data: { token: string } }>('POST', '/connect/sessions', {
      end_user: { id: 'u' },
    });
    const start = await fetch(`${browser.hub.url}/oauth/connect/tracker?connect_session_token=${data.token}`, {
      redirect: 'manual',
    });
    const state = new URL(start.headers.get('location') ?? '').searchParams.get('state') ?? '';
    await page.goto(`${own}?error=redirect_uri_mismatch&state=${state}`);

    const opens = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Compare the addresses' }).click();
    const doctor = await opens;

    await doctor.getByText(`its list does not contain it: register ${own}, character by character.`).waitFor();
    expect(await doctor.getByLabel(FIELD).inputValue()).toBe(`redirect_uri=${own}`);
  });

  it('fits 320 pixels', { tags: ['nightly'] }, async () => {
    const { page } = await browser.open(`/dev/integrations/slack/callback?pasted=${encodeURIComponent(`${own}/`)}`, {
      width: 320,
    });
    await page.getByText('the slash at the end').waitFor();

    await expectToFitWindow(page);
  });
});

// @module-tag slow
import { describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { type ConnectBrowser, startConnectBrowser } from './connect-browser.ts';

const KEY = 'u+AbCdEfGhIjKlMnOpQr';

let browser: ConnectBrowser;
startConnectBrowser((started) => {
  browser = started;
});

describe('connecting with a key', () => {
  it('goes from the list to the form to success, and sends what the provider asks for', {
    tags: ['main-path'],
  }, async () => {
    const { page, complaints } = await browser.openLink(await browser.session());
    await page.getByRole('button', { name: 'PagerDuty' }).click();

    await page.getByLabel('Account subdomain').fill(' https://Orchard-Ops.pagerduty.com'.toLowerCase());
    await page.getByLabel('API key', { exact: true }).fill(`${KEY} `);
    await page.getByRole('button', { name: 'Connect PagerDuty' }).click();

    await page.getByRole('heading', { name: 'PagerDuty is connected' }).waitFor();
    await page.getByText('You can close this tab.').waitFor();
    expect(browser.auth.calls).toEqual([
      {
        path: '/api-auth/api-key/pager',
        query: { connect_session_token: expect.stringMatching(/^nango_/), 'params[subdomain]': 'orchard-ops' },
        body: { apiKey: KEY },
      },
    ]);
    expect(complaints).toEqual([]);
  });

  it('checks every field before it asks the server, and leads to the first that is wrong', async () => {
    const { page } = await browser.openLink(await browser.session(['pager']));
    await page.getByLabel('API key', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Connect PagerDuty' }).click();

    await page.getByText('Account subdomain is required.').waitFor();
    await page.getByText(`Example: ${KEY}`).waitFor();
    await page.getByText('2 fields need attention.').waitFor();
    const subdomain = page.getByLabel('Account subdomain');
    expect(await subdomain.evaluate((input) => input === document.activeElement)).toBe(true);
    expect(await subdomain.getAttribute('aria-invalid')).toBe('true');
    expect(browser.auth.calls).toEqual([]);

    await subdomain.fill('orchard');
    await page.getByText('Account subdomain is required.').waitFor({ state: 'detached' });
  });

  it('says when the browser refuses to copy a generated value, which can be selected instead', async () => {
    const { page } = await browser.openLink(await browser.session());
    await page.route('**/providers/client*', async (route) => {
      const response = await route.fetch();
      const { data } = (await response.json()) as { data: object };
      await route.fulfill({ response, json: { data: { ...data, auth_mode: 'AWS_SIGV4' } } });
    });
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException('Not in front.', 'NotAllowedError'));
    });
    await page.getByRole('button', { name: 'Depot' }).click();
    await page.getByRole('button', { name: 'Copy External ID' }).click();

    await page.getByRole('alert').getByText('The browser does not allow this page to copy.').waitFor();
    expect(await page.getByLabel('External ID', { exact: true }).inputValue()).not.toBe('');

    // The next try says how it went.
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.resolve();
    });
    await page.getByRole('button', { name: 'Copy External ID' }).click();
    await page.getByText('The browser does not allow this page to copy.').waitFor({ state: 'detached' });
  });

  it('shows and hides a secret, and leads to the place of a field in the guide', async () => {
    const { page } = await browser.openLink(await browser.session(['pager']));
    const key = page.getByLabel('API key', { exact: true });
    await key.fill(KEY);
    expect(await key.getAttribute('type')).toBe('password');
    expect(await key.getAttribute('autocomplete')).toBe('off');

    await page.getByRole('button', { name: 'Show API key' }).click();

    expect(await key.getAttribute('type')).toBe('text');
    const guide = page.getByRole('link', { name: 'Where to find API key' });
    expect(await guide.getAttribute('href')).toBe('https://docs.example.test/pager#key');
    expect(await guide.getAttribute('rel')).toContain('noopener');
  });

  it('sends a hidden empty password along', { tags: ['nightly'] }, async () => {
    const { page } = await browser.openLink(await browser.session(['login']));
    await page.getByLabel('Key').fill('abc');
    expect(await page.getByLabel('Password').count()).toBe(0);
    await page.getByRole('button', { name: 'Connect Harbour' }).click();

    await page.getByRole('heading', { name: 'Harbour is connected' }).waitFor();
    expect(browser.auth.calls[0]?.body).toEqual({ username: 'abc', password: '' });
  });

  it('sends no body where there is nothing to fill in', async () => {
    const { page } = await browser.openLink(await browser.session(['open']));
    await page.getByRole('button', { name: 'Connect Open Weather' }).click();

    await page.getByRole('heading', { name: 'Open Weather is connected' }).waitFor();
    expect(browser.auth.calls).toMatchObject([{ path: '/auth/unauthenticated/open', body: undefined }]);
  });
});

describe('a value that the session fixes', () => {
  it('is hidden and sent, and the app’s own guide replaces the provider’s', { tags: ['nightly'] }, async () => {
    const token = await browser.session(['pager'], {
      integrations_config_defaults: { pager: { connection_config: { subdomain: 'fixed' } } },
      overrides: { pager: { docs_connect: 'https://app.example.test/help' } },
    });
    const { page } = await browser.openLink(token);
    await page.getByLabel('API key', { exact: true }).fill(KEY);
    expect(await page.getByLabel('Account subdomain').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Where to find it' }).getAttribute('href')).toBe(
      'https://app.example.test/help',
    );
    expect(await page.getByRole('link', { name: 'Where to find API key' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Connect PagerDuty' }).click();

    await page.getByRole('heading', { name: 'PagerDuty is connected' }).waitFor();
    expect(browser.auth.calls[0]?.query['params[subdomain]']).toBe('fixed');
  });

  it('cannot be corrected by the person when it is invalid', async () => {
    const token = await browser.session(['pager'], {
      integrations_config_defaults: { pager: { connection_config: { subdomain: 'evil.com/' } } },
    });
    const { page } = await browser.openLink(token);

    await page.getByText('Account subdomain. Contact the owner of the app.').waitFor();
    expect(await page.getByRole('button', { name: 'Connect PagerDuty' }).isDisabled()).toBe(true);
  });
});

describe('a refusal', () => {
  it('says why, shows the details on demand, and returns to the typed values', async () => {
    const { page } = await browser.openLink(await browser.session(['login']));
    await page.getByLabel('Key').fill('wrong');
    browser.auth.refuseNext(400, 'connection_test_failed', 'The provider answered 401.');
    await page.getByRole('button', { name: 'Connect Harbour' }).click();

    await page.getByRole('heading', { name: 'Harbour is not connected' }).waitFor();
    await page.getByText('Harbour did not accept these values.').waitFor();
    expect(await page.getByText('The provider answered 401.').isVisible()).toBe(false);
    await page.getByText('Details').click();
    await page.getByText('The provider answered 401.').waitFor();
    await page.getByRole('button', { name: 'Back' }).click();

    expect(await page.getByLabel('Key').inputValue()).toBe('wrong');
  });

  it('of a validation shows the message of its author', async () => {
    const { page } = await browser.openLink(await browser.session(['open']));
    browser.auth.refuseNext(400, 'connection_validation_failed', 'Only admins may connect <b>this</b>.');
    await page.getByRole('button', { name: 'Connect Open Weather' }).click();

    await page.getByRole('alert').getByText('Only admins may connect <b>this</b>.').waitFor();
  });

  it('of an ended session says so', async () => {
    const token = await browser.session(['open']);
    const { page } = await browser.openLink(token);
    await page.getByRole('button', { name: 'Connect Open Weather' }).waitFor();
    const { status } = await fetch(`${browser.hub.url}/connect/session`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(status).toBe(204);

    await page.getByRole('button', { name: 'Connect Open Weather' }).click();

    await page.getByRole('heading', { name: 'This session has ended' }).waitFor();
  });

  it('never comes when the person cancels', async () => {
    const { page } = await browser.openLink(await browser.session(['open']));
    const { promise, resolve } = Promise.withResolvers<void>();
    browser.auth.gate = promise;
    await page.getByRole('button', { name: 'Connect Open Weather' }).click();
    await page.getByRole('button', { name: 'Connecting' }).waitFor();
    await waitFor(() => browser.auth.calls.length === 1, { what: 'the call' });

    await page.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: 'Connect Open Weather' }).waitFor();
    resolve();
    browser.auth.gate = Promise.resolve();
    expect(await page.getByText('is connected').count()).toBe(0);
  });
});

describe('going back to the list', () => {
  it('asks before it throws typed values away', async () => {
    const { page } = await browser.openLink(await browser.session());
    await page.getByRole('button', { name: 'PagerDuty' }).click();
    await page.getByLabel('Account subdomain').fill('orchard');
    await page.getByRole('button', { name: 'Back' }).click();
    const question = page.getByRole('alertdialog', { name: 'Leave without connecting?' });
    await question.getByRole('button', { name: 'Stay' }).click();
    expect(await page.getByLabel('Account subdomain').inputValue()).toBe('orchard');

    await page.getByRole('button', { name: 'Back' }).click();
    await question.getByRole('button', { name: 'Leave' }).click();

    await page.getByRole('heading', { name: 'Connect an account' }).waitFor();
  });
});

// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { type ConnectBrowser, startConnectBrowser, type View } from './connect-browser.ts';

declare global {
  interface Window {
    opened: string[];
  }
}

let browser: ConnectBrowser;
startConnectBrowser((started) => {
  browser = started;
});

async function openSignIn(query: Record<string, string> = {}, view: View = {}, key = 'sign-in'): Promise<Page> {
  const { page } = await browser.openLink(await browser.session([key]), view, query);
  return page;
}

/** The window, once it shows the provider's page. */
async function connect(page: Page, name = 'Linear'): Promise<Page> {
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: `Connect ${name}` }).click(),
  ]);
  await popup.getByText('Sign in for').waitFor();
  return popup;
}

const isClosed = (popup: Page): Promise<boolean> => waitFor(() => popup.isClosed(), { what: 'the window to close' });

describe('a sign-in', () => {
  it('ends in success, closes its window and its socket', async () => {
    const page = await openSignIn();
    const popup = await connect(page);
    await page.getByText('Sign in to Linear in the window that opened.').waitFor();

    await popup.getByRole('link', { name: 'Allow' }).click();

    await page.getByRole('heading', { name: 'Linear is connected' }).waitFor();
    await isClosed(popup);
    await waitFor(() => browser.auth.openSockets === 0, { what: 'the socket to close' });
    expect(browser.auth.calls).toEqual([
      {
        path: '/oauth/connect/sign-in',
        query: { connect_session_token: expect.any(String), ws_client_id: expect.any(String) },
        body: undefined,
      },
    ]);
  });

  it('takes the fields of its form along', { tags: ['nightly'] }, async () => {
    const page = await openSignIn({}, {}, 'sign-in-region');
    await page.getByLabel('Subdomain').fill('help.zendesk.test');
    await page.getByLabel('Region').selectOption('us');
    const popup = await connect(page, 'Zendesk');
    await popup.getByRole('link', { name: 'Allow' }).click();

    await page.getByRole('heading', { name: 'Zendesk is connected' }).waitFor();
    expect(browser.auth.calls[0]?.query).toMatchObject({ 'params[subdomain]': 'help', 'params[region]': 'us' });
    expect(browser.auth.calls[0]?.query).not.toHaveProperty('params[label]');
  });

  it('says that access was not allowed, with the provider’s words below, and tries again', async () => {
    const page = await openSignIn();
    const popup = await connect(page);

    await popup.getByRole('link', { name: 'Deny' }).click();

    await page.getByRole('heading', { name: 'Linear is not connected' }).waitFor();
    await page.getByRole('alert').getByText('You did not allow access.').waitFor();
    await isClosed(popup);
    await page.getByText('Details').click();
    await page.getByText('access_denied').waitFor();

    const again = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Try again' }).click();
    await (await again).getByRole('link', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Linear is connected' }).waitFor();
  });

  it('says when the provider still has to approve', async () => {
    browser.auth.isPending = true;
    const page = await openSignIn();
    await (await connect(page)).getByRole('link', { name: 'Allow' }).click();

    await page.getByText('Linear still has to approve the connection.').waitFor();
  });

  it('ends when Homeport goes away', async () => {
    const page = await openSignIn();
    const popup = await connect(page);

    browser.auth.dropSockets();

    await page.getByText('Homeport does not answer.').waitFor();
    await isClosed(popup);
  });

  it('gets the result over the channel when the provider isolated the window', async () => {
    browser.auth.isolatesProvider = true;
    // The channel needs the page at the API's own origin.
    const { page } = await browser.openLink(await browser.session(['sign-in']), {}, {}, browser.auth.url);
    const popup = await connect(page);
    await page.getByText('The sign-in window is closed.').waitFor();

    await popup.getByRole('link', { name: 'Deny' }).click();

    await page.getByRole('heading', { name: 'Linear is not connected' }).waitFor();
    await isClosed(popup);
  });
});

describe('a window', () => {
  it('that the browser blocks is explained on the form', async () => {
    const init = (): void => {
      const original = window.open.bind(window);
      let isBlocked = true;
      window.open = (...parameters) => {
        if (!isBlocked) return original(...parameters);
        isBlocked = false;
        return null;
      };
    };
    const page = await openSignIn({}, { init });
    await page.getByRole('button', { name: 'Connect Linear' }).click();
    await page.getByRole('alert').getByText('The browser blocked the sign-in window.').waitFor();

    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Try again' }).click(),
    ]);
    await popup.getByRole('link', { name: 'Allow' }).click();

    await page.getByRole('heading', { name: 'Linear is connected' }).waitFor();
  });

  it('that is closed early ends the sign-in where the app asked for it', async () => {
    const page = await openSignIn({ detectClosedAuthWindow: 'true' });
    const popup = await connect(page);

    await popup.close();

    await page.getByRole('alert').getByText('The sign-in window was closed too early.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await waitFor(() => browser.auth.openSockets === 0, { what: 'the socket to close' });
  });

  it('that is closed early can be opened again otherwise', async () => {
    const page = await openSignIn();
    await (await connect(page)).close();
    await page.getByText('The sign-in window is closed. Open it again, or cancel.').waitFor();

    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Open the window again' }).click(),
    ]);
    await popup.getByRole('link', { name: 'Allow' }).click();

    await page.getByRole('heading', { name: 'Linear is connected' }).waitFor();
  });

  it('is closed when the person cancels', async () => {
    const page = await openSignIn();
    const popup = await connect(page);

    await page.getByRole('button', { name: 'Cancel' }).click();

    await isClosed(popup);
    await page.getByRole('button', { name: 'Connect Linear' }).waitFor();
    await waitFor(() => browser.auth.openSockets === 0, { what: 'the socket to close' });
  });
});

describe('messages of a callback page', () => {
  it('count only from the API’s origin and from the window itself', async () => {
    const page = await openSignIn();
    await connect(page);

    await page.evaluate(() => {
      const lie = { type: 'nango_oauth_callback_error', payload: { message: 'a lie', errorType: 'lie' } };
      window.postMessage(lie, '*');
      new BroadcastChannel('nango-oauth-callback').postMessage(lie);
    });

    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await page.getByText('a lie').count()).toBe(0);
    await page.getByText('Sign in to Linear in the window that opened.').waitFor();
  });
});

describe('in the desktop window', () => {
  const desktop = (): void => {
    const opened: string[] = [];
    Object.assign(window, {
      opened,
      homeport: {
        openExternal: async (url: string) => {
          opened.push(url);
          return true;
        },
      },
    });
  };
  const openedLinks = (page: Page): Promise<string[]> => page.evaluate(() => window.opened);

  it('an authorization continues in the system’s browser and returns over the socket', async () => {
    const page = await openSignIn({}, { init: desktop });
    await page.getByText('Your browser opens, and you sign in to Linear there.').waitFor();
    await page.getByRole('button', { name: 'Connect Linear' }).click();
    await page.getByRole('heading', { name: 'Continue in your browser' }).waitFor();
    const [link = ''] = await waitFor(async () => {
      const links = await openedLinks(page);
      return links.length > 0 && links;
    });
    expect(new URL(link).searchParams.get('ws_client_id')).toMatch(/^[0-9a-f-]{36}$/);

    const elsewhere = await page.context().newPage();
    await elsewhere.goto(link);
    await elsewhere.getByRole('link', { name: 'Allow' }).click();

    await page.getByRole('heading', { name: 'Linear is connected' }).waitFor();
    expect(page.context().pages().length).toBe(2);
  });

  it('says so when the browser does not open', { tags: ['nightly'] }, async () => {
    const init = (): void => void Object.assign(window, { homeport: { openExternal: async () => false } });
    const page = await openSignIn({}, { init });
    await page.getByRole('button', { name: 'Connect Linear' }).click();

    await page.getByText('Your browser did not open. Copy the link').waitFor();
    await page.getByRole('button', { name: 'Copy the link' }).waitFor();
  });

  it('shows the link to copy it by hand when the browser refuses to copy', { tags: ['nightly'] }, async () => {
    const page = await openSignIn({}, { init: desktop });
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException('Not in front.', 'NotAllowedError'));
    });
    await page.getByRole('button', { name: 'Connect Linear' }).click();
    await page.getByRole('button', { name: 'Copy the link' }).click();

    await page.getByRole('alert').getByText('The browser does not allow this page to copy.').waitFor();
    const link = page.getByRole('textbox', { name: 'Link to the sign-in' });
    expect(await link.inputValue()).toBe((await openedLinks(page))[0]);
    await link.focus();
    const chosen = await link.evaluate(
      (input: HTMLInputElement) => (input.selectionEnd ?? 0) - (input.selectionStart ?? 0),
    );
    expect(chosen).toBe((await link.inputValue()).length);
    expect(await page.getByText('Copied').count()).toBe(0);
  });

  it('can be cancelled, copied, and ends after five minutes', async () => {
    const page = await openSignIn({}, { init: desktop });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.clock.install();
    // The clock is stopped: "Copied" is shown only for a moment.
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByRole('button', { name: 'Connect Linear' }).click();
    await page.getByRole('button', { name: 'Copy the link' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe((await openedLinks(page))[0]);
    await page.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: 'Connect Linear' }).click();
    await page.getByRole('button', { name: 'Copy the link' }).waitFor();
    await page.clock.fastForward('05:01');

    await page.getByRole('alert').getByText('The sign-in was not finished within five minutes.').waitFor();
    await waitFor(() => browser.auth.openSockets === 0, { what: 'the socket to close' });
  });
});

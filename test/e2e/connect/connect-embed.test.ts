// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { actAndLeave, type ConnectBrowser, type EmbeddedPage, startConnectBrowser } from './connect-browser.ts';

let browser: ConnectBrowser;
startConnectBrowser((started) => {
  browser = started;
});

const WIDE = { width: 1000, height: 820 };

const typesOf = async ({ events }: EmbeddedPage): Promise<string[]> => (await events()).map(({ type }) => type);
const frameCount = (page: Page): Promise<number> => page.locator('#connect-ui').count();

async function waitForEvent(embedded: EmbeddedPage, type: string): Promise<Record<string, unknown> | undefined> {
  const found = await waitFor(async () => (await embedded.events()).find((event) => event.type === type), {
    what: `the event ${type}`,
  });
  return found.payload;
}

describe('the page in a frame of the official client', () => {
  it('takes the session, connects, informs the app, and closes', { tags: ['main-path'] }, async () => {
    const embedded = await browser.openEmbedded(await browser.session(), WIDE);
    const { page, ui, complaints } = embedded;
    await ui.getByRole('dialog', { name: 'Connect an account' }).waitFor();
    await ui.getByRole('button', { name: 'Open Weather' }).click();
    await ui.getByRole('button', { name: 'Connect Open Weather' }).click();
    await ui.getByRole('heading', { name: 'Open Weather is connected' }).waitFor();

    expect(await waitForEvent(embedded, 'connect')).toEqual({
      providerConfigKey: 'open',
      connectionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    actAndLeave(ui.getByRole('button', { name: 'Finish' }).click());

    await waitFor(async () => (await frameCount(page)) === 0, { what: 'the frame to go' });
    expect(await typesOf(embedded)).toEqual(['ready', 'connect', 'close']);
    expect(complaints).toEqual([]);
  });

  it('signs in through a window that it opened itself', async () => {
    const embedded = await browser.openEmbedded(await browser.session(['sign-in']), WIDE);
    const [popup] = await Promise.all([
      embedded.page.waitForEvent('popup'),
      embedded.ui.getByRole('button', { name: 'Connect Linear' }).click(),
    ]);
    await popup.getByRole('link', { name: 'Allow' }).click();

    await embedded.ui.getByRole('heading', { name: 'Linear is connected' }).waitFor();
    expect(await waitForEvent(embedded, 'connect')).toMatchObject({ providerConfigKey: 'sign-in', isPending: false });
  });

  it('tells the app of every failure', async () => {
    const embedded = await browser.openEmbedded(await browser.session(['open']), WIDE);
    browser.auth.refuseNext(400, 'connection_test_failed', 'The provider answered 401.');
    await embedded.ui.getByRole('button', { name: 'Connect Open Weather' }).click();

    expect(await waitForEvent(embedded, 'error')).toEqual({
      errorType: 'connection_test_failed',
      errorMessage: 'The provider answered 401.',
    });
  });

  it('tells the app of a window that was closed early', async () => {
    const token = await browser.session(['sign-in']);
    const embedded = await browser.openEmbedded(token, WIDE, { detectClosedAuthWindow: true });
    const [popup] = await Promise.all([
      embedded.page.waitForEvent('popup'),
      embedded.ui.getByRole('button', { name: 'Connect Linear' }).click(),
    ]);
    await popup.close();

    expect(await waitForEvent(embedded, 'error')).toMatchObject({ errorType: 'window_closed' });
    await embedded.ui.getByRole('alert').getByText('closed too early').waitFor();
  });

  it('takes a session that comes later, and a fresh one for one that has ended', async () => {
    const embedded = await browser.openEmbedded(undefined, WIDE);
    await waitForEvent(embedded, 'ready');
    const setToken = (token: string): Promise<void> => embedded.page.evaluate((value) => window.setToken(value), token);
    await setToken(`nango_connect_session_${'0'.repeat(64)}`);
    await embedded.ui.getByRole('heading', { name: 'This session has ended' }).waitFor();

    await setToken(await browser.session());

    await embedded.ui.getByRole('heading', { name: 'Connect an account' }).waitFor();
  });

  it('says after ten seconds that it must be started from an app', { tags: ['nightly'] }, async () => {
    const embedded = await browser.openEmbedded(undefined, {
      ...WIDE,
      init: () => {
        const original = window.setTimeout.bind(window);
        // Ten seconds pass at once; every other timer keeps its time.
        Object.assign(window, {
          setTimeout: (run: () => void, ms?: number) => original(run, ms === 10_000 ? 1000 : ms),
        });
      },
    });

    await embedded.ui.getByRole('heading', { name: 'Open this page from an app' }).waitFor();
  });

  it('speaks the language and wears the theme that the app asks for', async () => {
    const { ui } = await browser.openEmbedded(await browser.session(), WIDE, { lang: 'ja', themeOverride: 'dark' });

    await ui.getByRole('heading', { name: 'アカウントを接続' }).waitFor();
    expect(await ui.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(await ui.locator('html').getAttribute('lang')).toBe('ja');
  });

  it('is transparent around the dialog, with any theme', { tags: ['nightly'] }, async () => {
    const { ui } = await browser.openEmbedded(await browser.session(), { ...WIDE, scheme: 'dark' });
    await ui.getByRole('dialog').waitFor();

    const [ground, scheme] = await ui
      .locator('body')
      .evaluate((body) => [
        getComputedStyle(body).backgroundColor,
        getComputedStyle(document.documentElement).colorScheme,
      ]);
    expect([ground, scheme]).toEqual(['rgba(0, 0, 0, 0)', 'normal']);
  });
});

describe('closing', () => {
  it.each([
    ['the button', async ({ ui }: EmbeddedPage) => ui.getByRole('button', { name: 'Close' }).click()],
    ['Escape', async ({ page }: EmbeddedPage) => page.keyboard.press('Escape')],
    ['a click outside', async ({ page }: EmbeddedPage) => page.mouse.click(20, 400)],
  ])('by %s takes the page away when nothing was typed', async (_, act) => {
    const embedded = await browser.openEmbedded(await browser.session(['pager']), WIDE);
    await embedded.ui.getByLabel('Account subdomain').focus();

    actAndLeave(act(embedded));

    await waitFor(async () => (await frameCount(embedded.page)) === 0, { what: 'the frame to go' });
    expect((await typesOf(embedded)).at(-1)).toBe('close');
  });

  it('asks first when something was typed; Escape means staying', async () => {
    const embedded = await browser.openEmbedded(await browser.session(['pager']), WIDE);
    const { page, ui } = embedded;
    await ui.getByLabel('Account subdomain').fill('orchard');
    await page.keyboard.press('Escape');
    const question = ui.getByRole('alertdialog', { name: 'Leave without connecting?' });
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await frameCount(page)).toBe(1);
    expect(await ui.getByLabel('Account subdomain').evaluate((input) => input === document.activeElement)).toBe(true);

    await page.mouse.click(20, 400);
    actAndLeave(question.getByRole('button', { name: 'Leave' }).click());

    await waitFor(async () => (await frameCount(page)) === 0, { what: 'the frame to go' });
  });
});

describe('a result that comes while the person is asked whether to leave', () => {
  it('takes the question away', async () => {
    const embedded = await browser.openEmbedded(await browser.session(['open']), WIDE);
    const { promise, resolve } = Promise.withResolvers<void>();
    browser.auth.gate = promise;
    await embedded.ui.getByRole('button', { name: 'Connect Open Weather' }).click();
    await embedded.ui.getByRole('button', { name: 'Close' }).click();
    await embedded.ui.getByRole('alertdialog').waitFor();

    resolve();
    browser.auth.gate = Promise.resolve();

    await embedded.ui.getByRole('heading', { name: 'Open Weather is connected' }).waitFor();
    expect(await embedded.ui.getByRole('alertdialog').count()).toBe(0);
  });
});

describe('messages from anyone but the embedding page', () => {
  it('are ignored', async () => {
    const embedded = await browser.openEmbedded(undefined, WIDE);
    await waitForEvent(embedded, 'ready');
    await embedded.ui
      .locator('body')
      .evaluate(
        (_, token) => window.postMessage({ type: 'session_token', sessionToken: token }, '*'),
        await browser.session(),
      );

    await embedded.ui.locator('body').evaluate(() => new Promise(requestAnimationFrame));
    expect(await embedded.ui.getByRole('heading', { name: 'Connect an account' }).count()).toBe(0);
  });
});

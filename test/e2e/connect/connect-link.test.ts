// @module-tag slow
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { nightlyEach } from '../../support/nightly-each.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type ConnectBrowser, startConnectBrowser } from './connect-browser.ts';

let browser: ConnectBrowser;
startConnectBrowser((started) => {
  browser = started;
});

describe('the page in a tab of its own', () => {
  it('takes the token out of the address and stores nothing', async () => {
    const token = await browser.session();
    const { page } = await browser.openLink(token);
    await page.getByRole('heading', { name: 'Connect an account' }).waitFor();

    expect(page.url()).not.toContain(token);
    expect(page.url()).toContain('apiURL=');
    const kept = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]);
    expect(kept).toEqual([0, 0, '']);
    expect(await page.content()).not.toContain(token);
    expect(await page.getByRole('button', { name: 'Close' }).count()).toBe(0);
  });

  it('says at once that it needs a session', async () => {
    const { page } = await browser.openLink(undefined, {
      init: () => {
        const original = window.setTimeout.bind(window);
        // The handshake, for which an app has ten seconds, would never take place here.
        Object.assign(window, { setTimeout: (run: () => void, ms = 0) => (ms < 5000 ? original(run, ms) : 0) });
      },
    });

    await page.getByRole('heading', { name: 'Open this page from an app' }).waitFor();
  });

  it('says that a session has ended', async () => {
    const token = await browser.session();
    browser.clock.skip(31 * 60_000);
    const { page } = await browser.openLink(token);

    await page.getByRole('alert').getByText('A session lasts 30 minutes.').waitFor();
  });

  it('comes back when Homeport answers again', async () => {
    const token = await browser.session();
    const { page } = await browser.openLink(token);
    await page.getByRole('heading', { name: 'Connect an account' }).waitFor();
    await page.route('**/providers/*', (route) => route.abort());
    await page.getByRole('button', { name: 'PagerDuty' }).click();
    await page.getByRole('heading', { name: 'Homeport does not answer' }).waitFor();
    await page.unroute('**/providers/*');

    await page.getByRole('button', { name: 'Try again' }).click();

    await page.getByRole('button', { name: 'PagerDuty' }).click();
    await page.getByRole('heading', { name: 'Connect PagerDuty' }).waitFor();
  });

  it('connects an account again, without a list', async () => {
    await browser.importConnection({
      provider_config_key: 'open',
      connection_id: 'known',
      credentials: { type: 'NONE' },
    });
    const { page } = await browser.openLink(await browser.reconnectSession('open', 'known'));
    await page.getByRole('heading', { name: 'Reconnect Open Weather' }).waitFor();
    expect(await page.getByRole('button', { name: 'Back' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Reconnect Open Weather' }).click();

    await page.getByRole('heading', { name: 'Open Weather is connected' }).waitFor();
  });

  it('uses the API of its own origin by default', async () => {
    const { page } = await browser.openLink(undefined);
    await page.goto('about:blank');
    await page.goto(`${browser.pageOrigin}/connect?session_token=${await browser.session()}`);

    await page.getByRole('heading', { name: 'Connect an account' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/connect/');
    expect(page.url()).not.toContain('session_token');
  });

  it('records the person’s steps in the session’s log', async () => {
    browser.auth.notes.length = 0;
    const { page } = await browser.openLink(await browser.session());
    await page.getByRole('button', { name: 'PagerDuty' }).click();
    await page.getByRole('heading', { name: 'Connect PagerDuty' }).waitFor();

    const { notes } = browser.auth;
    await waitFor(() => notes.length >= 4, { what: 'four notes' });
    expect(notes.map(({ body }) => (body as { event: string }).event).sort()).toEqual([
      'click:integration',
      'open',
      'view:integration',
      'view:list',
    ]);
    expect(notes.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
    expect(notes.find(({ body }) => (body as { event: string }).event === 'view:integration')?.body).toMatchObject({
      dimensions: { integration: 'pager' },
    });
  });
});

describe('languages', () => {
  const choices: ReadonlyArray<readonly [locale: string, query: Record<string, string>, title: string]> = [
    ['de-AT', {}, 'Konto verbinden'],
    ['pt-BR', {}, 'Connect an account'],
    ['de-DE', { lang: 'fr' }, 'Connecter un compte'],
    ['de-DE', { lang: 'xx' }, 'Connect an account'],
    ['en-US', { lang: 'es' }, 'Conectar una cuenta'],
  ];
  const rows = choices.map((row) => [`${row[0]} with ${JSON.stringify(row[1])}`, row] as const);
  nightlyEach(rows, 2)('of a browser in %s', async ([locale, query, title]) => {
    const { page } = await browser.openLink(await browser.session(), { locale }, query);

    await page.getByRole('heading', { name: title }).waitFor();
  });
});

describe('the preview of settings', () => {
  it('shows a sample in the colours it is sent, and calls nothing', async () => {
    const { page } = await browser.openLink(undefined);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.route('**/preview-host', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe id="preview" src="/connect/?preview=true&theme=light" width="520" height="720"></iframe>`,
      }),
    );
    await page.goto(`${browser.pageOrigin}/preview-host`);
    const preview = page.frameLocator('#preview');
    await preview.getByRole('button', { name: 'GitHub' }).click();
    const button = preview.getByRole('button', { name: 'Connect GitHub' });
    await button.waitFor();

    await page.evaluate(() => {
      const payload = {
        showWatermark: true,
        defaultTheme: 'light',
        theme: { light: { primary: '#7C3AED' }, dark: { primary: '#FFE500' } },
      };
      document.querySelector('iframe')?.contentWindow?.postMessage({ type: 'settings_changed', payload }, '*');
    });

    await preview.getByText('Homeport', { exact: true }).waitFor();
    const colours = (): Promise<string[]> =>
      button.evaluate((element) => [getComputedStyle(element).backgroundColor, getComputedStyle(element).color]);
    await waitFor(async () => (await colours())[0] === 'rgb(124, 58, 237)', { what: 'the new colour' });
    expect((await colours())[1]).toBe('rgb(255, 255, 255)');
    await preview.getByLabel('API key', { exact: true }).fill('anything');
    await button.click();
    await preview.getByRole('button', { name: 'Close' }).click();
    await preview.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
    await button.waitFor();
    expect(asked.filter((path) => !/^\/(connect\/|images\/|preview-host)/.test(path))).toEqual([]);
    expect(asked.filter((path) => path.includes('telemetry'))).toEqual([]);
  });
});

describe('the build', () => {
  it('stays below 120 kB of scripts and 10 kB of styles, compressed, in all languages', async () => {
    const folder = join(browser.dist, 'assets');
    const files = await readdir(folder);
    const sizeOf = async (ending: string): Promise<number> => {
      const sizes = files
        .filter((name) => name.endsWith(ending))
        .map(async (name) => gzipSync(await readFile(join(folder, name))).length);
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    };

    expect(await sizeOf('.js')).toBeGreaterThan(40_000);
    expect(await sizeOf('.js')).toBeLessThan(120_000);
    expect(await sizeOf('.css')).toBeGreaterThan(1_000);
    expect(await sizeOf('.css')).toBeLessThan(10_000);
  });

  it('names its files relative to the page', async () => {
    const html = await readFile(join(browser.dist, 'index.html'), 'utf8');

    expect([...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^\.\/assets\/.+\.js$/),
        expect.stringMatching(/^\.\/assets\/.+\.css$/),
      ]),
    );
  });
});

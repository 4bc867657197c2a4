// @module-tag slow
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedirectHub, startRedirectHub, strictEntry } from '../../contract/authorization/redirect-hub.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { openContext } from '../../support/launch-chromium.ts';
import { named, nightlyEach } from '../../support/nightly-each.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ApplicationPage } from './application-page.ts';

/** A folder for screenshots of each page; without it none are taken. */
const PICTURES = process.env['HOMEPORT_TEST_PICTURES'];
const NAMES = ['error', 'error_description', 'error_reason', 'error_uri', 'status_code', 'error_message'];
const LOOKS = [
  ['light', 500],
  ['dark', 500],
  ['light', 320],
  ['dark', 320],
] as const;
const LOOK_ROWS = LOOKS.map((look) => [`${look[0]} at ${look[1]} pixels`, look] as const);

let hub: RedirectHub;
let application: ApplicationPage;
let lone: LoneWindow;

beforeAll(async () => {
  hub = await startRedirectHub((address) => ({
    plain: strictEntry(address, { display_name: 'Acme Projects' }),
    combined: strictEntry(address, { display_name: 'Acme Apps', auth_mode: 'CUSTOM' }),
  }));
  application = await ApplicationPage.start();
  lone = await LoneWindow.open();
});
afterAll(async () => {
  await lone?.page.context().close();
  await application?.stop();
  await hub?.stop();
});

/** The callback of a new authorization, with these parameters instead of the code. */
async function refusedCallback(said: Record<string, string>): Promise<URL> {
  const location = await hub.caller.startAt('plain', { token: await hub.caller.newSession() });
  const callback = hub.authorizer.consent(location);
  callback.searchParams.delete('code');
  for (const [name, value] of Object.entries(said)) callback.searchParams.set(name, value);
  return callback;
}

const grantedCallback = async (key = 'plain'): Promise<URL> =>
  hub.authorizer.consent(await hub.caller.startAt(key, { token: await hub.caller.newSession() }));

interface Look {
  scheme?: 'light' | 'dark';
  width?: number;
}

/** One window for all addresses that are opened without an opener, as the system's browser does for the desktop app. */
class LoneWindow {
  readonly page: Page;
  readonly #asked: string[] = [];
  #complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on('pageerror', (error) => this.#complaints.push(error.message));
    page.on('console', (message) => {
      // A script cannot close a window that no script opened; the page tries anyway.
      if (!/status of 4|may close only/.test(message.text())) this.#complaints.push(message.text());
    });
    page.on('dialog', (dialog) => {
      this.#complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => this.#asked.push(request.url()));
  }

  static async open(): Promise<LoneWindow> {
    const context = await openContext(application.browser);
    return new LoneWindow(await context.newPage());
  }

  async show(url: URL | string, { scheme = 'light', width = 500 }: Look = {}) {
    const { page } = this;
    await page.setViewportSize({ width, height: 600 });
    await page.emulateMedia({ colorScheme: scheme });
    this.#complaints = [];
    this.#asked.length = 0;
    await page.goto(String(url));
    const complaints = (): string[] => [
      ...this.#complaints,
      ...this.#asked.filter((asked) => asked !== String(url)).map((asked) => `asked ${asked}`),
    ];
    return { page, complaints };
  }
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}

/** Every page, as it stays open when a person opens it directly. */
const PAGES: Record<string, { url: () => Promise<URL>; heading: string; says: RegExp }> = {
  refused: {
    url: () =>
      refusedCallback({
        error: 'access_denied',
        error_description: 'The user denied access to the workspace “North”.',
      }),
    heading: 'Could not connect Acme Projects',
    says: /Acme Projects said: “The user denied access/,
  },
  mismatch: {
    url: () =>
      refusedCallback({
        error: 'redirect_uri_mismatch',
        error_description: 'The redirect_uri in the request does not match the ones registered for this app.',
      }),
    heading: 'Could not connect Acme Projects',
    says: /http:\/\/localhost:\d+\/oauth\/callback/,
  },
  long: {
    url: () =>
      refusedCallback(
        Object.fromEntries(NAMES.map((name) => [name, `${name} ${'a-word-without-an-end-'.repeat(12)}`])),
      ),
    heading: 'Could not connect Acme Projects',
    says: /a-word-without-an-end/,
  },
  unknown: {
    url: async () => new URL('/oauth/callback?state=x&error_description=Call+this+number', hub.server.url),
    heading: 'Not connected',
    says: /^This authorization is unknown:[^“]*took longer than an hour/,
  },
  partly: {
    url: async () => {
      const url = await grantedCallback();
      url.searchParams.set('error', 'some_scopes_denied');
      return url;
    },
    heading: 'Acme Projects reported a problem',
    says: /some_scopes_denied.*created nevertheless/,
  },
};

describe.each(Object.entries(PAGES))('the page %s', (name, { heading, says, url }) => {
  nightlyEach(LOOK_ROWS, LOOKS.length)('is readable in %s', async ([scheme, width]) => {
    const { complaints, page } = await lone.show(await url(), { scheme, width });

    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(heading);
    expect(await page.getByRole('alert').textContent()).toMatch(says);
    expect(await page.title()).toContain(heading);
    await expectToFitWindow(page);
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(background).toBe(scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(17, 23, 27)');
    await picture(page, `${name}-${scheme}-${width}`);
    const details = page.locator('summary');
    if (await details.count()) {
      // A link to the callback doctor may precede it.
      await page.keyboard.press('Tab');
      if (await page.evaluate(() => document.activeElement?.tagName === 'A')) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await picture(page, `${name}-${scheme}-${width}-open`);
      expect(await page.locator('details[open]').count()).toBe(1);
      await expectToFitWindow(page);
    }
    expect(complaints()).toEqual([]);
  });
});

describe.each([
  ['plain', 'Acme Projects is connected', 'You can close this window.'],
  ['combined', 'Waiting for approval', 'An owner still has to approve it at Acme Apps. You can close this window.'],
])('the page of success at %s', (key, heading, text) => {
  nightlyEach(LOOK_ROWS, LOOKS.length)('is readable in %s', async ([scheme, width]) => {
    const { complaints, page } = await lone.show(await grantedCallback(key), { scheme, width });

    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(heading);
    expect(await page.getByRole('status').textContent()).toBe(text);
    await picture(page, `success-${key}-${scheme}-${width}`);
    expect(await page.getByRole('link', { name: 'Back to Homeport' }).getAttribute('href')).toBe(
      'homeport://open/app/',
    );
    expect(complaints()).toEqual([]);
  });
});

describe('words of a stranger', () => {
  const HOSTILE = [
    '<script>alert(1)</script>',
    '</template><script>alert(2)</script>',
    '"><img src=x onerror=alert(3)>',
    "'-alert(4)-'",
    '</title><svg onload=alert(5)>',
    '&lt;script&gt;alert(6)&lt;/script&gt;',
    '{{7*7}}${8*8}\u2028\u2029\0',
    'javascript:alert(9)',
  ];

  const names = named(NAMES);
  nightlyEach(names, 3)('run nothing as %s', async (name) => {
    for (const hostile of HOSTILE) {
      const { complaints, page } = await lone.show(await refusedCallback({ [name]: hostile }));

      expect(await page.evaluate(() => document.scripts.length)).toBe(1);
      expect(await page.evaluate(() => document.querySelectorAll('img, iframe, form, svg[onload]').length)).toBe(0);
      await page.locator('summary').click();
      const row = page.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('+ dd');
      expect(await row.textContent()).toBe(hostile.replaceAll('\0', ''));
      expect(complaints()).toEqual([]);
    }
  });

  it('reach the opener as data, with no secret beside them', async () => {
    const page = await application.open();
    await page.evaluate(() => {
      const heard: unknown[] = [];
      Object.assign(window, { heard });
      window.addEventListener('message', ({ data }) => heard.push(data));
    });
    const show = async (url: URL): Promise<Page> => {
      const opening = page.waitForEvent('popup');
      await page.evaluate((href) => void window.open(href), url.href);
      return opening;
    };

    const failed = await show(await refusedCallback({ error: 'access_denied', error_description: '<b>No</b>' }));
    await page.waitForFunction('window.heard.length === 1');
    const granted = await grantedCallback();
    const done = await show(granted);
    await page.waitForFunction('window.heard.length === 2');

    expect(await page.evaluate('window.heard')).toEqual([
      {
        type: 'nango_oauth_callback_error',
        payload: {
          message: JSON.stringify({ error: 'access_denied', error_description: '<b>No</b>' }),
          errorType: 'connection_validation_failed',
        },
      },
      { type: 'nango_oauth_callback_success' },
    ]);
    await waitFor(() => done.isClosed(), { what: 'the page of success to close' });
    expect(failed.isClosed()).toBe(false);
    await failed.evaluate(() => window.postMessage({ type: 'nango_oauth_callback_ack' }, '*'));
    await waitFor(() => failed.isClosed(), { what: 'the page of failure to close' });
  });
});

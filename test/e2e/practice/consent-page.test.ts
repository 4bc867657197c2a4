// @module-tag slow
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../server/platform/lib/clock.ts';
import { createPracticeProvider } from '../../../server/practice/practice-provider.ts';
import { authorizeUrl } from '../../support/authorize-practice.ts';
import { expectToFitWindow } from '../../support/fits-window.ts';
import { openContext, sharedBrowser } from '../../support/launch-chromium.ts';

/** A folder for screenshots of each page; without it none are taken. */
const PICTURES = process.env['HOMEPORT_TEST_PICTURES'];

const provider = createPracticeProvider({ clock: systemClock });
let browser: Browser;
let context: BrowserContext | undefined;
let callback: Server;
let callbackUrl: string;
let address: string;

beforeAll(async () => {
  ({ address } = await provider.start());
  callback = createServer((_request, response) => response.end('Back at the hub')).listen(0, '127.0.0.1');
  await new Promise((resolve) => callback.once('listening', resolve));
  // Another name of this computer than the provider's, as for the hub.
  callbackUrl = `http://localhost:${(callback.address() as AddressInfo).port}/oauth/callback`;
  browser = await sharedBrowser();
});
afterEach(() => context?.close());
afterAll(async () => {
  callback?.close();
  callback?.closeAllConnections();
  await provider.stop();
});

interface Opened {
  page: Page;
  /** Errors of the browser: exceptions, violations of the page's policy, requests to other hosts. */
  complaints: string[];
}

async function open(
  url: string,
  { width = 800, height = 720, scheme = 'light' }: { width?: number; height?: number; scheme?: 'light' | 'dark' } = {},
): Promise<Opened> {
  context = await openContext(browser, { viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('request', (request) => {
    if (![address, new URL(callbackUrl).origin].includes(new URL(request.url()).origin)) complaints.push(request.url());
  });
  await page.goto(url);
  return { page, complaints };
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}

const consentUrl = (): string =>
  authorizeUrl(address, {
    redirect_uri: callbackUrl,
    scope: 'issues:read issues:write directory:read',
  });

describe('the consent page in a browser', () => {
  it('is answered by keyboard alone and leads back to the hub with a code', async () => {
    const { page, complaints } = await open(consentUrl());
    await page.getByRole('heading', { level: 1, name: 'Allow “Practice client” to use your account?' }).waitFor();
    const people = page.getByRole('group', { name: 'Continue as' });
    expect(await people.getByRole('radio').count()).toBe(3);

    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    expect(await people.getByRole('radio', { name: /Practice member/ }).isChecked()).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');

    await page.getByText('Back at the hub').waitFor();
    expect(new URL(page.url()).searchParams.get('code')).toMatch(/^practice_code_/);
    expect(complaints).toEqual([]);
  });

  it('takes Enter on a person for a no: the first button is Deny', async () => {
    const { page } = await open(consentUrl());

    await page.getByRole('radio', { name: /Practice admin/ }).focus();
    await page.keyboard.press('Enter');

    await page.getByText('Back at the hub').waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });

  it.each([
    ['light', 800],
    ['dark', 800],
    ['light', 320],
    ['dark', 320],
  ] as const)('is styled %s at %i pixels, without sideways scrolling', async (scheme, width) => {
    const { page, complaints } = await open(consentUrl(), { scheme, width });
    const allow = page.getByRole('button', { name: 'Allow' });
    await picture(page, `consent-${scheme}-${width}`);

    const styleOf = (property: string): Promise<string> =>
      allow.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
    expect(await styleOf('background-color')).toBe(scheme === 'light' ? 'rgb(11, 106, 128)' : 'rgb(77, 180, 201)');
    await expectToFitWindow(page);
    expect((await allow.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    expect(complaints).toEqual([]);
  });

  it.each([
    ['the window that asks for it', 500, 600],
    ['a small phone', 320, 480],
    ['zoomed text', 320, 256],
  ])('shows both answers without scrolling in %s', async (name, width, height) => {
    const { page } = await open(consentUrl(), { width, height });

    for (const response of ['Deny', 'Allow']) {
      const box = await page.getByRole('button', { name: response }).boundingBox();
      expect((box?.y ?? height) + (box?.height ?? 0), response).toBeLessThanOrEqual(height);
    }
    await picture(page, `consent-${name.replaceAll(' ', '-')}`);
    // The requested scopes are above them, not hidden behind.
    const last = page.getByRole('radio').last();
    await last.focus();
    const [radio, buttons] = [
      await last.boundingBox(),
      await page.getByRole('button', { name: 'Allow' }).boundingBox(),
    ];
    expect((radio?.y ?? height) + (radio?.height ?? 0)).toBeLessThanOrEqual(buttons?.y ?? 0);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Back at the hub').waitFor();
  });

  it('shows what a redirect mismatch looks like, at 320 pixels too', async () => {
    const url = authorizeUrl(address, { redirect_uri: `${callbackUrl}/${'very-long-'.repeat(12)}<b>` });
    const { page } = await open(url, { width: 320 });

    await page.getByRole('heading', { level: 1, name: 'The redirect address does not match' }).waitFor();
    await picture(page, 'mismatch-320');
    await expectToFitWindow(page);
    expect(await page.getByText('<b>').count()).toBe(1);
  });

  it('has a guide that fits 320 pixels', async () => {
    const { page, complaints } = await open(`${address}/docs`, { width: 320 });

    await page.getByText('practice-client-secret').waitFor();
    await picture(page, 'guide-320');
    await expectToFitWindow(page);
    expect(complaints).toEqual([]);
    await page.setViewportSize({ width: 900, height: 720 });
    await picture(page, 'guide-900');
  });
});

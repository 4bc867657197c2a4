import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { PATIENCE_MS } from './patience.ts';

/** A list of features that are off replaces the one that Playwright gives, so its names are here again. */
const FEATURES_OFF = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
  'Translate',
  // Two pages for an address bar that nobody sees: half of what a new window costs.
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
];
/** Nothing of its own goes out to the network, and a root user of a container may run it. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${FEATURES_OFF.join(',')}`,
];

/** The system's Chromium; `HOMEPORT_TEST_CHROMIUM` names another one. */
export function launchChromium(furtherFlags: string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['HOMEPORT_TEST_CHROMIUM'] ?? '/usr/bin/chromium',
    args: [...FLAGS, ...furtherFlags],
  });
}

/** A browser whose pages share a process, which has read and compiled the program that they load. */
export const launchForOneSite = (): Promise<Browser> => launchChromium(['--process-per-site']);

export interface PageView {
  width: number;
  height: number;
  scheme: 'light' | 'dark';
}

/** A new page of the same person in place of the others; they end after it is there, so that their process stays. */
export async function replacePages(context: BrowserContext, { width, height, scheme }: PageView): Promise<Page> {
  const before = context.pages();
  const page = await context.newPage();
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme });
  await Promise.all(before.map((other) => other.close()));
  return page;
}

/** A person's own browser, which gives every page the time that a busy machine needs. */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  firefox,
  type Page,
  webkit,
} from 'playwright-core';
import { countLasting } from './lasting-processes.ts';
import { WAIT_LIMIT_MS } from './wait-limit.ts';

/** A list of disabled features replaces Playwright's own, so its names are repeated here. */
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
  // Two pages for an address bar that is never visible: half of the cost of a new window.
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
];
/** No network requests of the browser itself, and it may run as the root user of a container. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A page lives for seconds: optimising its functions costs more than it saves.
  '--js-flags=--no-opt,--no-maglev',
  `--disable-features=${FEATURES_OFF.join(',')}`,
];

/** From Debian's packages; the first draws no window, which saves a fifth of the cost of a page. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
const WHOLE_BROWSER = '/usr/bin/chromium';

/** For measurements: V8 as people have it. Of two such switches the last one counts. */
export const OPTIMIZING = '--js-flags=--opt,--maglev';

/** Playwright's own builds (`npx playwright-core install firefox`). Tests are written for Chromium; these run the main path. */
const OTHER_BROWSERS = { firefox, webkit };

/**
 * The system's Chromium; `HOMEPORT_TEST_CHROMIUM` names another one, and `HOMEPORT_TEST_BROWSER` firefox or webkit.
 */
export function launchChromium(furtherFlags: string[] = []): Promise<Browser> {
  const other = process.env['HOMEPORT_TEST_BROWSER'];
  if (other === 'firefox' || other === 'webkit') return OTHER_BROWSERS[other].launch();
  const installed = existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : WHOLE_BROWSER;
  return chromium.launch({
    executablePath: process.env['HOMEPORT_TEST_CHROMIUM'] ?? installed,
    args: [...FLAGS, ...furtherFlags],
  });
}

let lasting: Promise<Browser> | undefined;

/**
 * A browser whose pages of a site share a process. The files of a test process share it; Playwright ends it with that
 * process.
 */
export async function sharedBrowser(): Promise<Browser> {
  // A launch that failed is tried again by the next file.
  const running = await lasting?.catch(() => undefined);
  if (running?.isConnected()) return running;
  lasting = launchChromium(['--process-per-site']);
  const browser = await lasting;
  countLasting(1);
  browser.once('disconnected', () => countLasting(-1));
  return browser;
}

export interface PageView {
  width: number;
  height: number;
  scheme: 'light' | 'dark';
  /** Whether this person asked their system for less motion. Most pages of tests do: what moves is drawn again and again. */
  isStill?: boolean;
}

/** Events that tests listen to; Playwright's own listeners stay. */
const HEARD = [
  'console',
  'dialog',
  'download',
  'framenavigated',
  'pageerror',
  'popup',
  'request',
  'requestfailed',
  'requestfinished',
  'response',
  'websocket',
] as const;

/**
 * The page of a test, at `blankUrl`, an empty page of the site. It is the page of the previous test without any state of
 * that test: the process of a new page would have to compile the program again.
 * Scripts that a test adds to every load of its page stay, so such a test must remove them.
 */
export async function clearedPage(context: BrowserContext, blankUrl: string, view: PageView): Promise<Page> {
  const [before, ...others] = context.pages();
  await Promise.all(others.map((other) => other.close()));
  const page = before ?? (await context.newPage());
  for (const name of HEARD) page.removeAllListeners(name);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.goto(blankUrl);
  await page.evaluate(() => {
    window.name = '';
    localStorage.clear();
    sessionStorage.clear();
  });
  await context.clearCookies();
  // The pointer of a newly opened page is over nothing.
  await page.mouse.move(-1, -1);
  await page.setViewportSize({ width: view.width, height: view.height });
  await page.emulateMedia({
    media: null,
    colorScheme: view.scheme,
    contrast: null,
    forcedColors: null,
    reducedMotion: view.isStill ? 'reduce' : null,
  });
  return page;
}

let kept: BrowserContext | undefined;
let isLent = false;

/**
 * A context that keeps the compiled scripts of the addresses that it knows, without which a first page costs twice as
 * much. The files of a test process use it one after the other; a second one at the same time is of its own.
 */
export async function lendContext(): Promise<BrowserContext> {
  const browser = await sharedBrowser();
  if (isLent) return openContext(browser);
  // After a crash there is another browser.
  if (kept?.browser() !== browser) kept = await openContext(browser);
  isLent = true;
  return kept;
}

/** Leaves nothing of a file to the next one that uses the context. `blankUrl`: see `clearedPage`; still answered. */
export async function returnContext(context: BrowserContext, blankUrl: string): Promise<void> {
  for (const name of ['weberror', ...HEARD]) context.removeAllListeners(name);
  const page = context.pages()[0];
  try {
    if (context !== kept) return await context.close();
    await context.clearPermissions();
    await page?.goto(blankUrl);
    // A clock that a test installed cannot be taken out again.
    if (!(await page?.evaluate(() => '__pwClock' in window))) isLent = false;
  } finally {
    if (context === kept && isLent) {
      [kept, isLent] = [undefined, false];
      await context.close();
    }
  }
}

/** An ordinary browser with the time limits that a busy machine needs. */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(WAIT_LIMIT_MS);
  return context;
}

// @module-tag slow
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DesktopBridge } from '../../../server/contract/shell-bridge.ts';
import { findElectron, type StartedDesktop, startDesktop, whyNoDesktop } from '../../support/start-desktop.ts';
import { waitFor } from '../../support/wait-for.ts';

const run = promisify(execFile);
const reason = whyNoDesktop();
if (reason) process.stderr.write(`The stories of the desktop window are not run: ${reason}\n`);

declare const homeport: DesktopBridge;

/** The built app with its real windows: in Electron, or in the stand-in (test/support/window-stand-in). */
describe.skipIf(reason)('the desktop window', () => {
  let app: StartedDesktop;
  const first = (): Page => {
    const [page] = app.windows();
    if (!page) throw new Error('There is no window.');
    return page;
  };
  const visible = () =>
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.isVisible()));
  const focused = () =>
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().findIndex((window) => window.isFocused()));

  beforeAll(async () => {
    app = await startDesktop();
    const page = app.windows()[0] ?? (await app.nextWindow());
    await page.waitForURL(/\/app\/welcome/);
    await page.getByRole('heading', { name: 'Welcome to Homeport' }).waitFor();
  });
  afterAll(() => app?.end());

  it('shows the first run signed in, with the bridge on its page and nothing else of the shell', async () => {
    expect(await visible()).toEqual([true]);
    expect(await first().evaluate(() => homeport.getServerState())).toMatchObject({ name: 'ready' });
    expect(await first().evaluate(() => 'require' in window || 'process' in window)).toBe(false);

    await first().getByText('Leave', { exact: true }).click();
    await first().getByRole('navigation').first().waitFor();
    await first().waitForURL(/\/app\/dev/);
  });

  it('opens no foreign page, in this window or in another', async () => {
    await app.evaluate(({ shell }) => {
      const opened: string[] = [];
      Object.assign(globalThis, { opened });
      shell.openExternal = async (url) => void opened.push(url);
    });
    const opened = () => app.evaluate(() => (globalThis as unknown as { opened: string[] }).opened);
    const isNothing = await first().evaluate(() => window.open('https://example.com/outside') === null);
    await first().evaluate(() => {
      document.body.insertAdjacentHTML(
        'beforeend',
        '<a id="out" target="_blank" href="https://example.com/link">x</a>',
      );
      document.querySelector<HTMLElement>('#out')?.click();
      document.querySelector('#out')?.remove();
      location.assign('https://example.com/inside');
    });
    await waitFor(async () => (await opened()).length === 2, { what: 'the browser' });

    expect(isNothing).toBe(true);
    expect((await opened()).sort()).toEqual(['https://example.com/link', 'https://example.com/outside']);
    expect(await visible()).toEqual([true]);
    expect(new URL(first().url()).pathname).toMatch(/^\/app\/dev/);
  });

  it('gives frames and foreign text no bridge, and no permission that the shell refuses', async () => {
    const inFrame = await first().evaluate(async () => {
      const frame = document.createElement('iframe');
      document.body.append(frame);
      const found = frame.contentWindow && 'homeport' in frame.contentWindow;
      frame.remove();
      return found;
    });
    const permission = (name: string) =>
      first().evaluate(async (asked) => (await navigator.permissions.query({ name: asked as never })).state, name);

    expect(inFrame).toBe(false);
    expect(await permission('geolocation')).toBe('denied');
    expect(await permission('notifications')).toBe('granted');
  });

  it('opens a page of the dashboard in a window of its own, with the same session and the focus', async () => {
    const coming = app.nextWindow();
    await first().evaluate(() => void window.open('/app/dev/logs'));
    const second = await coming;
    await second.waitForURL(/\/app\/dev\/logs/);
    await second.getByRole('navigation').first().waitFor();
    await waitFor(async () => (await focused()) === 1, { what: 'the focus of the second window' });
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.focus());
    await waitFor(async () => (await focused()) === 0, { what: 'the focus of the first window' });

    const bounds = await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((one) => one.getBounds()),
    );
    expect(bounds[1]?.x).not.toBe(bounds[0]?.x);
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[1]?.close());
    await waitFor(async () => (await visible()).length === 1, { what: 'the end of the second window' });
  });

  it('zooms, and finds text', async () => {
    const width = () => first().evaluate(() => window.innerWidth);
    const before = await width();
    await app.chooseMenu('View', 'Zoom in');
    await waitFor(async () => (await width()) < before, { what: 'the larger page' });
    await app.chooseMenu('View', 'Actual size');
    await waitFor(async () => (await width()) === before, { what: 'the page as it was' });

    const once = await first().evaluate(() => homeport.findInPage('logs'));
    expect(once.hits).toBeGreaterThan(0);
    const again = await first().evaluate(() => homeport.findInPage('logs', { backwards: true }));
    expect(again).toEqual({ hits: once.hits, current: once.hits });
    expect(await first().evaluate(() => homeport.findInPage('there is no such text'))).toEqual({ hits: 0, current: 0 });
  });

  it('follows a link that is opened while it runs, in the window that is there', async () => {
    await app.startAgain(['homeport://open/dev/logs?q=warm']);
    await first().waitForURL(/\/app\/dev\/logs\?q=warm/);

    expect(await visible()).toEqual([true]);
  });

  it('shows the quick panel, which Escape hides', async () => {
    const coming = app.nextWindow();
    await app.chooseMenu('File', 'Quick panel');
    const panel = await coming;
    await panel.waitForURL(/\/app\/quick-panel/);
    await panel.getByRole('main').waitFor();
    await waitFor(async () => (await visible()).every(Boolean), { what: 'the panel' });
    await panel.keyboard.press('Escape');

    await waitFor(async () => (await visible()).includes(false), { what: 'the end of the panel' });
    expect(await visible()).toEqual([true, false]);
  });

  it('saves what a page offers as a download', async () => {
    const file = join(app.home, 'homeport-note.txt');
    await app.evaluate(({ session }, path) => {
      session.defaultSession.once('will-download', (_event, item) => item.setSavePath(path));
    }, file);
    await first().evaluate(() => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob(['kept']));
      link.download = 'homeport-note.txt';
      link.click();
    });

    await waitFor(() => existsSync(file) && readFileSync(file, 'utf8') === 'kept', { what: 'the file' });
  });

  it('asks before a page with unsaved text is left, and keeps it', async () => {
    const asked = await app.answerQuestions(0);
    await first().evaluate(() => {
      addEventListener('beforeunload', (event) => event.preventDefault());
    });
    // Browsers ask only where a person did something.
    await first().mouse.click(5, 5);
    await app.evaluate(({ app: it_ }) => it_.quit());
    await waitFor(async () => (await asked()).length > 0, { what: 'the question' });

    expect(await asked()).toEqual(['Leave without saving?']);
    expect(app.hasEnded()).toBe(false);
    await app.answerQuestions(1);
    const reloaded = first().waitForEvent('framenavigated');
    await app.startAgain(['homeport://open/dev/connections']);
    await reloaded;
    await first().waitForURL(/\/app\/dev\/connections/);
  });

  it('comes back when its server ends, and when a person restarts it', async () => {
    const addressAfter = (former: string): Promise<string> =>
      waitFor(
        async () => {
          const state = await first().evaluate(() => homeport.getServerState());
          const shown = new URL(first().url()).origin;
          return state.name === 'ready' && state.address === shown && shown !== former && shown;
        },
        { what: 'the dashboard of the new server' },
      );
    const before = new URL(first().url()).origin;
    const shell = await app.evaluate(() => process.pid);
    const { stdout } = await run('pgrep', ['-P', String(shell), '-f', 'server/main.mjs']);
    process.kill(Number(stdout), 'SIGKILL');
    const after = await addressAfter(before);
    await first().evaluate(() => void homeport.restartServer());
    await addressAfter(after);

    await first().getByRole('navigation').first().waitFor();
    expect(new URL(first().url()).pathname).toBe('/app/dev/connections');
  });

  it('comes back when its page ends', async () => {
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer());
    const hasText = () =>
      app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript('document.querySelector("nav") !== null'),
      );

    await waitFor(hasText, { what: 'the dashboard again' });
  });

  // Electron's own tray depends on the desktop that the test runs on.
  it.skipIf(findElectron())('ends with its last window where the desktop shows no tray', async () => {
    // Runs may be in progress: they are given up.
    await app.answerQuestions(0);
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());

    await waitFor(() => app.hasEnded(), { what: 'the end of the app' });
  });
});

import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error a plain script without types: it has to run on any Node
import { electronProgram, hasElectron } from '../../../build/scripts/setup/electron-binary.mjs';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

const ENTRY = fileURLToPath(new URL('../../../dist/electron/main.mjs', import.meta.url));
const hasScreen = process.platform !== 'linux' || 'DISPLAY' in process.env || 'WAYLAND_DISPLAY' in process.env;
const binary: string | undefined = hasScreen && hasElectron() ? electronProgram() : undefined;
if (!binary)
  process.stderr.write(
    'The stories of the desktop window are not run: no screen, or no Electron (npm run setup -- --window).\n',
  );

/** The app in the real Electron; under xvfb-run when there is no display. */
describe.runIf(binary)('the desktop window', () => {
  let home: TempHome;
  let app: ElectronApplication;
  let page: Page;

  beforeAll(async () => {
    home = await createTempHome();
    app = await _electron.launch({
      executablePath: binary ?? '',
      // Containers of build machines have no user namespaces; the app itself always requires its sandbox.
      args: [...(process.env['CI'] ? ['--no-sandbox'] : []), ENTRY],
      env: {
        ...(process.env as Record<string, string>),
        XDG_CONFIG_HOME: `${home.path}/config`,
        HOMEPORT_HOME: `${home.path}/data`,
        HOMEPORT_PORT: '0',
        HOMEPORT_PRACTICE_PORT: '0',
        HOMEPORT_MASTER_KEY: randomBytes(32).toString('base64'),
        HOMEPORT_RUNTIME: process.execPath,
      },
    });
    page = await app.firstWindow();
    await page.waitForURL(/\/app\/dev/);
  });
  afterAll(async () => {
    await app.close();
    await home.remove();
  });

  it('shows the dashboard signed in, and the bridge on its top page', async () => {
    await page.getByRole('navigation').first().waitFor();

    expect(await page.evaluate(() => typeof (window as { homeport?: unknown }).homeport)).toBe('object');
    expect(await page.evaluate(() => 'require' in window || 'process' in window)).toBe(false);
  });

  it('opens no foreign page, in this window or in another', async () => {
    const before = app.windows().length;
    await app.evaluate(({ shell }) => {
      const opened: string[] = [];
      Object.assign(globalThis, { opened });
      shell.openExternal = async (url) => void opened.push(url);
    });
    await page.evaluate(() => {
      window.open('https://example.com/outside');
      location.assign('https://example.com/inside');
    });
    const opened = () => app.evaluate(() => (globalThis as unknown as { opened: string[] }).opened);
    await waitFor(async () => (await opened()).length > 0, { what: 'the browser' });

    expect(await opened()).toEqual(['https://example.com/outside']);
    expect(app.windows()).toHaveLength(before);
    expect(new URL(page.url()).pathname).toMatch(/^\/app\//);
  });

  it('opens a page of the dashboard in a window of its own, with the same session', async () => {
    const coming = app.waitForEvent('window');
    await page.evaluate(() => void window.open('/app/dev/logs'));
    const second = await coming;
    await second.waitForURL(/\/app\/dev\/logs/);

    await second.getByRole('navigation').first().waitFor();
    await second.close();
  });

  it('comes back when its page ends', async () => {
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer());

    await waitFor(() => page.getByRole('navigation').first().isVisible(), { what: 'the dashboard again' });
  });

  it('shows a status page while the server is away, and offers to try again', async () => {
    await page.evaluate(() =>
      (window as unknown as { homeport: { restartServer(): Promise<void> } }).homeport.restartServer(),
    );

    await waitFor(() => /\/app\/dev/.test(page.url()), { what: 'the dashboard after the restart' });
  });
});

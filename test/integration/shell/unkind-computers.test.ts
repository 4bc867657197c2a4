// @module-tag slow
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { SERVER_ENTRY } from '../../support/start-server.ts';
import { createTempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type BootedShell, bootShell } from './boot-shell.ts';

let shell: BootedShell;
afterEach(() => shell.end());

async function boot(options: Parameters<typeof bootShell>[0] = {}) {
  shell = await bootShell(options);
  const { electron } = shell;
  const window = await waitFor(() => electron.windows[0], { what: 'the window' });
  await waitFor(() => window.contents.url.includes('/app/'), { what: 'the dashboard' });
  const address = new URL(window.contents.url).origin;
  const call = (name: string, ...args: unknown[]) =>
    electron.callBridge(name, args, { window, frameUrl: `${address}/app/dev` });
  const notices = async () => ((await call('getNotices')) as Array<{ id: string }>).map(({ id }) => id);
  return { electron, window, call, notices };
}

const settingsFile = (): Record<string, unknown> =>
  JSON.parse(readFileSync(join(shell.home.path, 'user/appData/Homeport Desktop/settings.json'), 'utf8'));

describe('the desktop shell on an unkind computer', () => {
  it('shows a window that is never ready', async () => {
    const { window } = await boot({ unkind: { neverReady: true } });

    await waitFor(() => window.visible, { what: 'the window' });
  });

  it('says that the keychain is locked, and goes on when it was unlocked', async () => {
    const folder = await createTempHome();
    onTestFinished(() => folder.remove());
    const key = join(folder.path, 'unlocked');
    const entry = join(folder.path, 'server.mjs');
    const failure = { type: 'failed', code: 'wrong_master_key', message: 'The keychain of this computer is locked.' };
    writeFileSync(
      entry,
      `import { existsSync } from 'node:fs';
       if (existsSync(${JSON.stringify(key)})) await import(${JSON.stringify(SERVER_ENTRY)});
       else process.send(${JSON.stringify(failure)}, () => process.exit(78));`,
    );
    shell = await bootShell({ env: { HOMEPORT_SERVER_ENTRY: entry } });
    const { electron } = shell;
    const page = (): string => decodeURIComponent(electron.windows[0]?.contents.url ?? '');
    await waitFor(() => page().includes('The keychain of this computer is locked.'), { what: 'the locked page' });
    expect(electron.trays[0]?.toolTip).toBe('Homeport: Vault locked');

    writeFileSync(key, '');
    electron.windows[0]?.contents.navigate('homeport://retry');
    await waitFor(() => page().includes('/app/'), { what: 'the dashboard' });
  });

  it('asks before it hides where no tray brings it back, and does what the person says', {
    tags: ['main-path'],
  }, async () => {
    const { electron, window, notices } = await boot({ unkind: { noTray: true } });
    expect(await notices()).toContain('tray');
    const close = async (answer: number): Promise<void> => {
      electron.answers.messageBox = answer;
      const before = electron.messageBoxes.length;
      window.close();
      await waitFor(() => electron.messageBoxes.length > before, { what: 'the question' });
    };

    await close(2);
    expect(window).toMatchObject({ visible: true, destroyed: false });
    expect(electron.messageBoxes[0]?.message).toBe('Keep Homeport running without a window?');
    await close(1);
    await waitFor(() => !window.visible, { what: 'the hidden window' });
    electron.app.emit('second-instance', {}, ['electron'], '/');
    expect(window.visible).toBe(true);
    await close(0);
    await waitFor(() => electron.app.hasQuit, { what: 'the end of the app' });
  });

  it('works without a tray that the desktop refuses', { tags: ['nightly'] }, async () => {
    const { electron, notices } = await boot({ unkind: { trayThrows: true } });

    expect(await notices()).toEqual(['tray']);
    expect(electron.trays).toEqual([]);
    expect(electron.errors).toEqual([]);
  });

  it('says that a shortcut was refused at the start, also when the system claimed to have it', {
    tags: ['nightly'],
  }, async () => {
    const { electron, call, notices } = await boot({ unkind: { deafShortcuts: true } });
    expect(await notices()).toEqual(['shortcut']);

    expect(await call('updateSettings', { quickPanelShortcut: 'F9' })).toMatchObject({ ok: false });
    expect(await call('updateSettings', { quickPanelShortcut: null })).toMatchObject({ ok: true });
    expect(await notices()).toEqual([]);
    // The way that is left: a shortcut of the system that starts the app again.
    electron.app.emit('second-instance', {}, ['electron', '--quick-panel'], '/');
    const panel = await waitFor(() => electron.windows[1]?.visible && electron.windows[1], { what: 'the quick panel' });
    expect(panel.loaded.at(-1)).toContain('/app/quick-panel');
  });

  it.runIf(process.platform === 'linux')(
    'leaves the place of the quick panel to Wayland, and hides it there with its focus',
    async () => {
      const { electron, notices } = await boot({ env: { XDG_SESSION_TYPE: 'wayland' } });
      expect(await notices()).toEqual(['shortcut']);
      electron.shortcuts.get('CommandOrControl+Shift+H')?.();
      const panel = await waitFor(() => electron.windows[1]?.visible && electron.windows[1], {
        what: 'the quick panel',
      });

      expect(panel.options.alwaysOnTop).toBe(false);
      expect(panel.bounds).toMatchObject({ x: 0, y: 0 });
      panel.emit('blur');
      expect(panel.visible).toBe(false);
    },
  );

  it('gives the graphics card up when its driver fails twice, asks, and starts again without it', async () => {
    const { electron } = await boot({ env: { HOMEPORT_WINDOW_REPORT: '/tmp/no-such-folder/report' } });
    const fail = (): void => void electron.app.emit('child-process-gone', {}, { type: 'GPU', reason: 'crashed' });
    electron.answers.messageBox = 0;
    fail();
    expect(electron.messageBoxes).toEqual([]);
    fail();
    expect(settingsFile()).toMatchObject({ useGraphicsCard: false });
    await waitFor(() => electron.app.hasQuit, { what: 'the end of the app' });

    expect(electron.messageBoxes.map(({ message }) => message)).toEqual(['The graphics driver fails.']);
    // The status with which `npm start`, or the launcher of a package, starts it again.
    expect(electron.app.exitStatus).toBe(75);
  });

  it('waits with a page that hangs until the person gives it up', async () => {
    const { electron } = await boot();
    const [window] = electron.windows;
    const ends: string[] = [];
    window?.webContents.on('render-process-gone', () => ends.push('gone'));
    electron.answers.messageBox = 1;
    window?.emit('unresponsive');
    await waitFor(() => electron.messageBoxes.length === 1, { what: 'the question' });
    expect(electron.messageBoxes[0]).toMatchObject({ buttons: ['Load again', 'Wait'], defaultId: 1, cancelId: 1 });
    electron.answers.messageBox = 0;
    window?.emit('unresponsive');

    await waitFor(() => ends.length > 0, { what: 'the end of the page' });
    expect([electron.messageBoxes.length, ends]).toEqual([2, ['gone']]);
  });

  it('draws without the graphics card where that was chosen', { tags: ['nightly'] }, async () => {
    const { electron, notices } = await boot({ settings: { useGraphicsCard: false } });

    expect(electron.app.hasGraphics).toBe(false);
    expect(await notices()).toEqual(['graphics']);
  });

  it('says aloud that it runs without a sandbox, and does not ask Chromium for one that it cannot have', async () => {
    const { electron, notices } = await boot({
      unkind: { switches: ['no-sandbox'] },
      env: { APPIMAGE: '/tmp/H.AppImage' },
    });

    expect(electron.app.isSandboxed).toBe(false);
    expect(await notices()).toEqual(['sandbox']);
  });

  it('ends without a question when Windows ends the session', { tags: ['nightly'] }, async () => {
    const { electron, window } = await boot();
    window.contents.hasUnsavedText = true;
    window.emit('session-end', { reasons: ['shutdown'] });

    await waitFor(() => electron.app.hasQuit, { what: 'the end of the app' });
    expect(electron.messageBoxes).toEqual([]);
  });

  it('leaves no cookie behind, and has the identity that Linux desktops know', { tags: ['nightly'] }, async () => {
    const { electron } = await boot();
    if (process.platform === 'linux') expect(electron.app.desktopName).toBe('app.homeport.Homeport');
    electron.app.quit();

    await waitFor(() => electron.app.hasQuit, { what: 'the end of the app' });
    expect(electron.cleared).toEqual(['cookies']);
  });

  it('shows no window where macOS says that the login started it', { tags: ['nightly'] }, async () => {
    const platform = Object.getOwnPropertyDescriptor(process, 'platform');
    Object.defineProperty(process, 'platform', { ...platform, value: 'darwin' });
    try {
      shell = await bootShell({ unkind: { wasOpenedAtLogin: true } });
      await waitFor(() => shell.electron.trays[0]?.menu?.entry('Settings').enabled, { what: 'the server' });
      expect(shell.electron.windows).toEqual([]);
      expect(existsSync(join(shell.home.path, 'user'))).toBe(true);
    } finally {
      Object.defineProperty(process, 'platform', platform ?? {});
    }
  });
});

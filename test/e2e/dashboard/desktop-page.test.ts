// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ASK_PAGE } from '../../../electron/rules/leave-question.ts';
import type { DesktopBridge, UpdateState } from '../../../server/contract/shell-bridge.ts';
import { browserOfFile, type OpenOptions, type OpenPage } from './dashboard-browser.ts';

declare global {
  interface Window {
    shell: Heard;
  }
}

const browser = browserOfFile();

interface Heard {
  heard: Array<[name: string, ...args: unknown[]]>;
  /** Chooses an entry of the application menu. */
  press: (id: string) => void;
  update: (state: UpdateState) => void;
}

/** The page as the desktop window shows it: with a bridge that records the calls. */
function openInApp(path: string, options: OpenOptions = {}): Promise<OpenPage> {
  return browser.open(path, {
    ...options,
    prepare: async (page) => {
      const script = await page.addInitScript(addBridge);
      onTestFinished(() => script.dispose());
    },
  });
}

/** Runs in the page. */
function addBridge(): void {
  const shell: Heard = { heard: [], press: () => {}, update: () => {} };
  const say =
    <Answer>(name: string, response: Answer) =>
    async (...args: unknown[]) => {
      shell.heard.push([name, ...args]);
      return response;
    };
  let settings = {
    closeAction: 'hide' as 'hide' | 'quit',
    startAtLogin: false,
    quickPanelShortcut: 'CommandOrControl+Shift+H' as string | null,
    editor: 'zed' as 'system' | 'vscode' | 'cursor' | 'zed',
    pauseOnBattery: false,
    useGraphicsCard: true,
  };
  let opened: { name: string; base64: string } | null = {
    name: 'customers.csv',
    base64: btoa('connection_id,integration,api_key\nacme,practice,key-1\n'),
  };
  const homeport: DesktopBridge = {
    getVersion: say('getVersion', '1.2.3'),
    getServerState: say('getServerState', { name: 'stopped' }),
    onServerState: () => () => {},
    restartServer: say('restartServer', undefined),
    openExternal: say('openExternal', true),
    showItemInFolder: say('showItemInFolder', true),
    openInEditor: say('openInEditor', true),
    copySecret: say('copySecret', undefined),
    saveDiagnostics: say('saveDiagnostics', { ok: true, path: null }),
    getDiagnostics: say('getDiagnostics', [{ name: 'shell.json', text: '{"shell":"of the app"}' }]),
    installCommandLine: say('installCommandLine', { ok: true, path: '/usr/local/bin/homeport', hint: null }),
    getSettings: async () => settings,
    updateSettings: async (change) => {
      shell.heard.push(['updateSettings', change]);
      if (change.quickPanelShortcut === 'F1') return { ok: false, message: 'Another program uses this shortcut.' };
      settings = { ...settings, ...change };
      return { ok: true, settings };
    },
    getNotices: say('getNotices', [
      { id: 'tray', message: 'This desktop shows no tray icons, so Homeport asks before the last window is closed.' },
      { id: 'graphics', message: 'Windows are drawn without the graphics card.' },
    ]),
    getUpdateState: say('getUpdateState', { name: 'current' }),
    onUpdateState: (listener) => {
      shell.update = listener;
      return () => {};
    },
    checkForUpdates: say('checkForUpdates', undefined),
    installUpdate: say('installUpdate', undefined),
    cancelUpdate: say('cancelUpdate', undefined),
    takeOpenedFile: async () => {
      const file = opened;
      opened = null;
      return file;
    },
    setCommands: say('setCommands', undefined),
    startDrag: say('startDrag', true),
    findInPage: say('findInPage', { hits: 7, current: 2 }),
    logIn: say('logIn', true),
    getLoginCode: say('getLoginCode', '123456'),
    onCommand: (listener) => {
      shell.press = listener;
      return () => {};
    },
  };
  Object.assign(window, { homeport, shell });
}

const heard = (page: Page, name: string): Promise<unknown[][]> =>
  page.evaluate((wanted) => window.shell.heard.filter(([one]) => one === wanted).map(([, ...args]) => args), name);
const press = (page: Page, id: string): Promise<void> => page.evaluate((command) => window.shell.press(command), id);

describe('the dashboard in the desktop window', () => {
  it('gives the application menu the commands of the screen, and runs the chosen one', async () => {
    const { page, complaints } = await openInApp('/app/dev/logs');
    const commands = async () =>
      (await heard(page, 'setCommands')).at(-1)?.[0] as Array<{ id: string; keys: string[] }>;
    await expect.poll(async () => (await commands())?.find(({ id }) => id === 'live')?.keys).toEqual(['l']);
    expect((await commands()).map(({ id }) => id)).toEqual(
      expect.arrayContaining(['palette', 'go.connections', 'find']),
    );

    await press(page, 'go.connections');
    await expect.poll(() => page.url()).toMatch(/\/app\/dev\/connections$/);
    await expect.poll(async () => (await commands()).some(({ id }) => id === 'live')).toBe(false);
    expect(complaints).toEqual([]);
  });

  it('finds text on the page, forwards and backwards, and ends with Escape', async () => {
    const { page } = await openInApp('/app/dev/connections');
    // Its part of the page is loaded after the first view.
    await expect.poll(async () => JSON.stringify(await heard(page, 'setCommands'))).toContain('"find"');
    await page.keyboard.press('Control+f');
    const bar = page.getByRole('search', { name: 'Find on this page' });
    await bar.waitFor();

    await page.keyboard.type('co');
    await bar.getByText('2 of 7').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });

    expect(await heard(page, 'findInPage')).toEqual([
      ['c', {}],
      ['co', {}],
      ['co', { backwards: false }],
      ['co', { backwards: true }],
      [''],
    ]);
  });

  it('asks the shell for a new session in place of a code', async () => {
    const { page } = await openInApp('/app/dev', { isLocked: true });

    await expect.poll(() => heard(page, 'logIn')).toHaveLength(1);
  });

  it('signs in again by itself after the session was lost, without losing what was typed', async () => {
    const { page, fixture } = await openInApp('/app/dev/connections/create?mode=import&integration_id=hubspot');
    const typed = page.getByLabel('Connection ID (optional)');
    await typed.waitFor();
    expect(await page.evaluate(ASK_PAGE)).toBe(false);
    await typed.fill('mine');
    // How the shell learns that it has to ask before it ends.
    await expect.poll(() => page.evaluate(ASK_PAGE)).toBe(true);
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));

    fixture.state.isLocked = true;
    await page.getByRole('textbox', { name: 'Access token', exact: true }).fill('abc');
    await page.getByText('Never', { exact: true }).click();
    await page.getByRole('button', { name: 'Import connection' }).click();

    await expect.poll(() => heard(page, 'getLoginCode')).toHaveLength(1);
    await expect.poll(() => fixture.state.isLocked).toBe(false);
    await typed.waitFor();
    expect(await typed.inputValue()).toBe('mine');
    expect(await page.getByLabel('Pairing code').count()).toBe(0);
    expect(await heard(page, 'logIn')).toEqual([]);
    expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
  });

  it('changes settings of the app, and shows why a shortcut is refused', async () => {
    const { page, complaints } = await openInApp('/app/settings/general');
    await page.getByLabel('Start when I sign in to this computer').click();
    await page.getByLabel('Pause schedules on battery').click();
    await page.getByLabel('Use the graphics card').click();
    const notices = page.getByRole('group', { name: 'On this computer' });
    await notices.getByText('This desktop shows no tray icons').waitFor();
    await page.getByRole('combobox', { name: 'Closing the last window' }).click();
    await page.getByRole('option', { name: 'Quits Homeport' }).click();
    await page.getByRole('combobox', { name: 'Opens files of functions' }).click();
    await page.getByRole('option', { name: 'Cursor' }).click();
    const shortcut = page.getByLabel('Shortcut of the quick panel');
    await shortcut.fill('F1');
    await page.keyboard.press('Enter');
    await page.getByText('Another program uses this shortcut.').waitFor();
    await shortcut.fill('');
    await page.keyboard.press('Enter');
    await page.getByText('Shortcut of the quick panel saved').waitFor();
    await page.getByRole('button', { name: 'Install the command' }).click();
    await page.getByText('Installed as /usr/local/bin/homeport.').waitFor();

    expect(await heard(page, 'updateSettings')).toEqual([
      [{ startAtLogin: true }],
      [{ pauseOnBattery: true }],
      [{ useGraphicsCard: false }],
      [{ closeAction: 'quit' }],
      [{ editor: 'cursor' }],
      [{ quickPanelShortcut: 'F1' }],
      [{ quickPanelShortcut: null }],
    ]);
    await page.getByRole('link', { name: 'Set notifications' }).click();
    await page.getByRole('region', { name: 'Rules' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('hands a new key to the app to copy, which removes it later', async () => {
    const { page, complaints } = await openInApp('/app/dev/apps');
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('billing');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Copy key' }).click();
    await expect.poll(() => heard(page, 'copySecret')).toHaveLength(1);
    const [[copied] = []] = await heard(page, 'copySecret');
    await page.getByText(String(copied), { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows an update and installs it on request', async () => {
    const { page, complaints } = await openInApp('/app/settings/updates');
    await page.getByText('1.2.3').waitFor();
    await page.getByText('This is the newest version').waitFor();
    await page.getByRole('button', { name: 'Check for updates' }).click();
    const enter = (state: UpdateState) => page.evaluate((next) => window.shell.update(next), state);
    await enter({ name: 'downloading', version: '2.0.0', percent: 40 });
    await page.getByText('Downloading 2.0.0: 40 %').waitFor();
    await enter({ name: 'ready', version: '2.0.0', notes: 'Faster and calmer' });
    await page.getByText('Faster and calmer').waitFor();
    await page.getByRole('button', { name: 'Install and start again' }).click();
    await enter({ name: 'waiting', version: '2.0.0', notes: '', runningCount: 2 });
    await page.getByText('2.0.0 is installed once 2 runs have ended').waitFor();
    await page.getByRole('button', { name: 'Do not install now' }).click();

    for (const name of ['checkForUpdates', 'installUpdate', 'cancelUpdate'])
      await expect.poll(() => heard(page, name)).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  it('adds what the app knows to the report', { tags: ['nightly'] }, async () => {
    const { page } = await openInApp('/app/settings/about');
    await page.getByRole('button', { name: 'Make a report' }).click();

    await page.getByText('Desktop app: shell.json').waitFor();
    await page.getByText('{"shell":"of the app"}').waitFor();
  });

  it('takes the file that was opened with the app', async () => {
    const { page } = await openInApp('/app/import');

    await page.getByText('customers.csv').waitFor();
    await expect.poll(() => page.url()).toMatch(/\/app\/dev\/import$/);
  });

  it('says in the status bar that schedules are paused, and resumes them, in any browser', {
    tags: ['nightly'],
  }, async () => {
    const { page, fixture } = await browser.open('/app/dev/connections');
    await page.getByRole('grid', { name: 'Connections' }).waitFor();
    const { health } = await page.evaluate(async () => {
      const session = JSON.parse(localStorage.getItem('homeport.session') ?? '""') as string;
      return (await fetch('/api/v1/meta', { headers: { 'x-homeport-csrf': session || 'none' } })).json();
    });
    fixture.emit('health', { ...health, pausedSchedules: { until: null, reasons: ['battery'] } });
    const pause = page.getByRole('button', { name: 'Schedules paused on battery' });
    await pause.click();

    await pause.waitFor({ state: 'detached' });
  });

  it('hands the log of an operation to a drag, with all its messages', { tags: ['nightly'] }, async () => {
    const { page, complaints } = await openInApp('/app/dev/logs?operationId=op-4');
    const handle = page.getByRole('button', { name: 'Save the log as a file' });
    const box = await handle.boundingBox();
    if (!box) throw new Error('There is no handle.');
    await page.mouse.move(box.x + 10, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 10, box.y - 60, { steps: 5 });
    await expect.poll(async () => (await heard(page, 'startDrag')).length).toBe(1);
    await page.mouse.up();

    const [[file] = []] = (await heard(page, 'startDrag')) as Array<[{ name: string; text: string }]>;
    expect(file?.name).toBe('operation-op-4.json');
    expect(JSON.parse(file?.text ?? '')).toMatchObject({ operation: { id: 'op-4' }, messages: expect.any(Array) });
    expect(complaints).toEqual([]);
  });
});

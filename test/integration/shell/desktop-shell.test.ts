import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DashboardClient } from '../../contract/dashboard/dashboard-client.ts';
import {
  importConnection,
  importPracticeConnection,
  officialClient,
} from '../../support/import-practice-connection.ts';
import { actionSource, saveFunction } from '../../support/server-workspace.ts';
import { TEST_SECRET_KEY } from '../../support/start-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type BootedShell, bootShell } from './boot-shell.ts';

const WRITE_NOTE = `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: 'Writes it',
  version: '1.0.0',
  input: z.object({ text: z.string() }),
  output: z.any(),
  exec: async (nango, input) => input,
});
`;

describe('the desktop shell', () => {
  let shell: BootedShell;
  let home: BootedShell['home'];
  let electron: BootedShell['electron'];
  let address: string;
  let firstPages: string[];
  /** A file that exists only during a drag. */
  let dragged: string | undefined;

  const firstWindow = () => {
    const [window] = electron.windows;
    if (!window) throw new Error('There is no window.');
    return window;
  };
  const tray = () => {
    const [found] = electron.trays;
    if (!found?.menu) throw new Error('There is no tray.');
    return { ...found, menu: found.menu, toolTip: found.toolTip, picture: found.picture };
  };
  const pages = (window = firstWindow()): string[] => window.loaded.map((url) => url.replace(/#code=\w+$/, '#code'));
  const call = (name: string, args: unknown[] = [], window = firstWindow()) =>
    electron.callBridge(name, args, { window, frameUrl: `${address}/app/dev` });

  beforeAll(async () => {
    shell = await bootShell();
    ({ electron, home } = shell);
    await waitFor(() => pages().some((url) => url.endsWith('/app/#code')), { what: 'the dashboard' });
    address = new URL(firstWindow().contents.url).origin;
    firstPages = pages();
    await importPracticeConnection({ url: address, secretKey: TEST_SECRET_KEY });
  });
  /** A question or a window that a failed test left would be taken for one of the next. */
  afterEach(() => {
    electron.messageBoxes.splice(0);
    for (const window of electron.windows.slice(1)) {
      window.contents.hasUnsavedText = false;
      if (!window.destroyed && !window.options.alwaysOnTop) window.close();
    }
  });

  afterAll(async () => {
    await shell.end();
    expect(await electron.clipboard.readText()).toBe('');
    expect(dragged && existsSync(dragged), 'a text that was dragged out').toBe(false);
  });

  it('shows the status page while the server starts, then the dashboard signed in', () => {
    const [first, second] = firstPages;

    expect(decodeURIComponent(first ?? '')).toContain('Homeport is starting');
    expect(second).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/app\/#code$/);
    expect(firstWindow().visible).toBe(true);
    expect(firstWindow().options.webPreferences).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
    });
    expect(electron.app.isSandboxed).toBe(true);
  });

  it('opens further windows of the same session, beside each other', async () => {
    const before = electron.windows.length;
    electron.menus.application?.press('File', 'New window');
    await waitFor(() => electron.windows[before]?.loaded.length, { what: 'the second window' });

    const [first, second] = [firstWindow(), electron.windows[before]];
    expect(pages(second)).toEqual([`${address}/app/`]);
    expect(second?.bounds.x).toBe(first.bounds.x + 24);
    second?.close();
    expect(second?.destroyed).toBe(true);
  });

  it('opens pages of the dashboard in its own windows, https outside and nothing else', async () => {
    const open = (url: string, frameName = '') => {
      const handler = firstWindow().contents.windowOpenHandler;
      return handler?.({
        url,
        frameName,
        features: '',
        disposition: 'new-window',
        referrer: { url: '', policy: 'default' },
      });
    };
    const before = electron.windows.length;

    expect(open(`${address}/app/dev/logs`)).toEqual({ action: 'deny' });
    await waitFor(() => electron.windows[before]?.loaded.includes(`${address}/app/dev/logs`));
    expect(open('https://example.com/docs')).toEqual({ action: 'deny' });
    expect(open('file:///etc/passwd')).toEqual({ action: 'deny' });
    expect(open(`${address}/oauth/callback`)).toEqual({ action: 'deny' });

    expect(electron.opened.splice(0)).toEqual(['https://example.com/docs', `${address}/oauth/callback`]);
    expect(electron.windows).toHaveLength(before + 1);
    // As the quick panel does.
    expect(open(`${address}/app/dev/mcp`, 'homeport')).toEqual({ action: 'deny' });
    await waitFor(() => electron.windows[before]?.loaded.includes(`${address}/app/dev/mcp`));
    expect(electron.windows).toHaveLength(before + 1);
    electron.windows[before]?.close();
  });

  it('lets neither a page nor its frames navigate elsewhere, and grants only two permissions', () => {
    const { contents } = firstWindow();
    const session = contents.session as unknown as { check: ((...args: unknown[]) => boolean) | null };
    const may = (permission: string, origin: string): boolean => session.check?.(null, permission, origin, {}) ?? false;

    expect(contents.navigate(`${address}/app/dev`)).toBe(true);
    expect(contents.navigate('https://evil.example/')).toBe(false);
    expect(contents.navigate('https://evil.example/', { isMainFrame: false })).toBe(false);
    expect(contents.navigate(`${address}/connect/`, { isMainFrame: false })).toBe(true);
    expect(['notifications', 'geolocation', 'media'].map((one) => may(one, address))).toEqual([true, false, false]);
    expect(may('notifications', 'https://evil.example')).toBe(false);
  });

  it('answers the bridge to the top frame of the dashboard alone', async () => {
    const from = { window: firstWindow(), frameUrl: `${address}/app/dev` };

    await expect(electron.callBridge('getVersion', [], from)).resolves.toBe('0.0.0-test');
    await expect(electron.callBridge('getVersion', [], { ...from, parent: {} })).rejects.toThrow('may not use');
    for (const frameUrl of ['https://evil.example/app/', `${address}/connect/`, `${address}.evil.example/app/`])
      await expect(electron.callBridge('getVersion', [], { ...from, frameUrl })).rejects.toThrow('may not use');
  });

  it('follows links below /app and brings the window to the front at a second start', async () => {
    const start = (...argv: string[]) => electron.app.emit('second-instance', {}, ['electron', ...argv], '/');

    start('homeport://open/dev/logs?q=a');
    await waitFor(() => pages().at(-1) === `${address}/app/dev/logs?q=a`, { what: 'the page of the link' });
    const count = pages().length;
    firstWindow().hide();
    start('homeport://open/.\\/evil.example/x');

    expect(firstWindow().visible).toBe(true);
    expect(pages()).toHaveLength(count);
  });

  it('hands an opened file to the import page once', async () => {
    const file = join(home.path, 'team.homeport');
    writeFileSync(file, '{"version":1}');

    electron.app.emit('second-instance', {}, ['electron', file], '/');
    await waitFor(() => pages().at(-1) === `${address}/app/import`, { what: 'the import page' });

    expect(await call('takeOpenedFile')).toEqual({
      name: 'team.homeport',
      base64: Buffer.from('{"version":1}').toString('base64'),
    });
    expect(await call('takeOpenedFile')).toBeNull();
  });

  it('shows files of the functions folder only, behind links too', async () => {
    const folder = join(home.path, 'data', 'functions');
    mkdirSync(join(folder, 'github'), { recursive: true });
    const inside = join(folder, 'github', 'issues.ts');
    const link = join(folder, 'vault.ts');
    writeFileSync(inside, '');
    writeFileSync(join(home.path, 'outside.ts'), '');
    symlinkSync(join(home.path, 'outside.ts'), link);

    expect(await call('updateSettings', [{ editor: 'zed' }])).toMatchObject({ ok: true });
    expect(await call('openInEditor', [inside, 7])).toBe(true);
    expect(await call('openInEditor', [link])).toBe(false);
    expect(await call('showItemInFolder', [join(home.path, 'outside.ts')])).toBe(false);
    expect(await call('openInEditor', [{ toString: () => inside }])).toBe(false);
    expect(electron.opened.splice(0)).toEqual([`zed://file${inside}:7`]);
  });

  it('keeps settings, and refuses a shortcut that another program has', async () => {
    electron.takenShortcuts.add('Alt+Space');
    await call('updateSettings', [{ editor: 'zed' }]);

    expect(await call('updateSettings', [{ quickPanelShortcut: 'Alt+Space' }])).toMatchObject({ ok: false });
    expect([...electron.shortcuts.keys()]).toEqual(['CommandOrControl+Shift+H']);
    expect(await call('updateSettings', [{ closeAction: 'explode' }])).toMatchObject({ ok: false });
    expect(await call('updateSettings', [{ startAtLogin: true }])).toMatchObject({
      ok: true,
      settings: { editor: 'zed', startAtLogin: true },
    });
    const stored = JSON.parse(readFileSync(join(home.path, 'user/appData/Homeport Desktop/settings.json'), 'utf8'));
    expect(stored).toMatchObject({ editor: 'zed', startAtLogin: true });
  });

  it('shows the quick panel by its shortcut, on top and small, and hides it by the same', async () => {
    const press = electron.shortcuts.get('CommandOrControl+Shift+H');
    press?.();
    const panel = await waitFor(() => electron.windows.find(({ options }) => options.alwaysOnTop));
    await waitFor(() => panel.visible);

    expect(panel.bounds).toMatchObject({ width: 380, height: 520 });
    expect(pages(panel)).toEqual([`${address}/app/quick-panel`]);
    press?.();
    expect(panel.visible).toBe(false);
  });

  it('pauses every schedule from the tray, says so, and resumes', async () => {
    await waitFor(() => tray().menu.entry('Pause all schedules').enabled);
    tray().menu.press('Pause all schedules', 'Until resumed');
    await waitFor(() => tray().toolTip.includes('Schedules paused'), { what: 'the pause' });
    expect(JSON.parse(readFileSync(join(home.path, 'user/appData/Homeport Desktop/pause.json'), 'utf8'))).toEqual({
      pause: { untilMs: null },
    });

    tray().menu.press('Resume all schedules');
    await waitFor(() => tray().toolTip === 'Homeport: Running', { what: 'the end of the pause' });
  });

  it('pauses schedules on battery when that is wanted', async () => {
    await call('updateSettings', [{ pauseOnBattery: true }]);
    await waitFor(() => tray().toolTip === 'Homeport: Running', { what: 'the end of every run' });

    electron.powerMonitor.onBatteryPower = true;
    electron.powerMonitor.emit('on-battery');
    await waitFor(() => tray().toolTip.includes('paused on battery'));

    electron.powerMonitor.onBatteryPower = false;
    electron.powerMonitor.emit('on-ac');
    await waitFor(() => tray().toolTip === 'Homeport: Running');
  });

  it('loads a page again that ended, and waits for a person when it ends again', async () => {
    const { contents } = firstWindow();
    const count = pages().length;

    contents.url = `${address}/app/dev/logs`;
    contents.crash();
    await waitFor(() => pages().length === count + 1);
    contents.crash();
    await waitFor(() => decodeURIComponent(pages().at(-1) ?? '').includes('This page stopped working'));

    contents.navigate('homeport://retry');
    await waitFor(() => pages().at(-1)?.startsWith(`${address}/app/`), { what: 'the page again' });
  });

  it('signs a page in again whose session ended, and not in a circle', async () => {
    firstWindow().contents.url = `${address}/app/dev/connections`;

    expect(await call('logIn')).toBe(true);
    expect(pages().at(-1)).toBe(`${address}/app/dev/connections#code`);
    expect(await call('logIn')).toBe(false);
  });

  it('gives a page with unsaved text a code, with which it signs in without being loaded again', async () => {
    const before = pages();

    const code = await call('getLoginCode');
    const client = await DashboardClient.signIn({
      url: address,
      signIn: { issueLinkCode: () => String(code) },
    });

    expect((await client.call('GET /api/v1/sessions')).data.length).toBeGreaterThan(0);
    await client.call('DELETE /api/v1/session');
    expect(pages()).toEqual(before);
  });

  it('asks before a page with unsaved text is closed or left, and keeps it when the person stays', async () => {
    electron.menus.application?.press('File', 'New window');
    const window = await waitFor(() =>
      electron.windows.find(
        ({ destroyed, loaded }, index) =>
          index > 0 && !destroyed && loaded.length === 1 && loaded[0]?.endsWith('/app/'),
      ),
    );
    window.contents.hasUnsavedText = true;

    electron.answers.messageBox = 0;
    window.close();
    expect(window.destroyed).toBe(false);
    electron.app.emit('second-instance', {}, ['electron', 'homeport://open/dev/logs?q=left'], '/');
    await waitFor(() => electron.messageBoxes.length === 2, { what: 'the question before the page is left' });
    expect(pages(window)).toHaveLength(1);
    expect(electron.messageBoxes[0]).toMatchObject({
      message: 'Leave without saving?',
      buttons: ['Stay', 'Discard changes'],
      cancelId: 0,
    });

    electron.answers.messageBox = 1;
    window.close();
    expect(window.destroyed).toBe(true);
    expect(electron.messageBoxes.splice(0)).toHaveLength(3);
  });

  it('asks before it quits while text is not saved, and goes on with its server when the person stays', async () => {
    firstWindow().hide();
    firstWindow().contents.hasUnsavedText = true;
    electron.answers.messageBox = 0;

    electron.app.quit();
    await waitFor(() => electron.messageBoxes.length === 1, { what: 'the question' });

    expect(electron.messageBoxes.splice(0)[0]).toMatchObject({ message: 'Leave without saving?' });
    // The person sees the text that the question is about.
    expect(firstWindow()).toMatchObject({ visible: true, destroyed: false });
    expect(electron.app.hasQuit).toBe(false);
    expect(await call('getServerState')).toMatchObject({ name: 'ready' });
    firstWindow().contents.hasUnsavedText = false;
  });

  it('says that a server ended, and comes back with it and with a pause that a person began', async () => {
    firstWindow().contents.url = `${address}/app/dev/connections`;
    await waitFor(() => tray().picture.includes('tray-ok'), { what: 'the end of every run' });
    tray().menu.press('Pause all schedules', 'For 1 hour');
    await waitFor(() => tray().toolTip.includes('Schedules paused until'), { what: 'the pause' });
    await call('restartServer');
    // Its port is another one here, so the page reloads from there.
    await waitFor(
      () => new URL(firstWindow().contents.url).origin !== address && firstWindow().contents.url.includes('/app/'),
      { what: 'the page of the new server' },
    );
    address = new URL(firstWindow().contents.url).origin;
    await waitFor(() => tray().toolTip.includes('Schedules paused until'), { what: 'the pause again' });
    tray().menu.press('Resume all schedules');
    await waitFor(() => tray().toolTip === 'Homeport: Running', { what: 'the end of the pause' });

    expect(pages().at(-1)).toBe(`${address}/app/dev/connections#code`);
    const states = firstWindow().contents.sent.flatMap(({ channel, args }) =>
      channel === 'onServerState' ? args : [],
    );
    expect(states.map((state) => (state as { name: string }).name).slice(-3)).toEqual(['stopped', 'starting', 'ready']);
  });

  it('shows the question of an agent as a notification, whose button answers it', async () => {
    await saveFunction(join(home.path, 'data', 'functions'), 'practice/actions/write-note.ts', WRITE_NOTE);
    const headers = {
      authorization: `Bearer ${TEST_SECRET_KEY}`,
      'provider-config-key': 'practice',
      'connection-id': 'me',
    };
    const client = new Client({ name: 'agent', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit: { headers } });
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    await waitFor(async () => (await client.listTools()).tools.some(({ name }) => name === 'write-note'));
    electron.lookElsewhere();

    const response = client.callTool({ name: 'write-note', arguments: { text: 'hello' } });
    const notification = await waitFor(() => electron.notifications.find(({ isShown }) => isShown));
    expect(notification.options).toMatchObject({
      title: 'default asks to run write-note',
      body: 'Without an answer it is denied after a minute.',
      actions: [{ text: 'Allow once' }, { text: 'Deny' }],
    });
    await waitFor(() => tray().picture.includes('attention'), { what: 'the icon' });
    expect(electron.app.badge).toBe(1);
    notification.emit('action', {}, 0);

    expect(JSON.stringify(await response)).toContain('hello');
    await waitFor(() => electron.app.badge === 0 && !notification.isShown, { what: 'the end of the question' });
    await client.close();
  });

  it('continues with a new session when its own was ended', async () => {
    const used = firstWindow().loaded.at(-1) ?? '';
    const client = await DashboardClient.signIn({
      url: address,
      signIn: { issueLinkCode: () => new URL(used).hash.replace('#code=', '') },
    });
    await client.call('DELETE /api/v1/sessions');

    tray().menu.press('Pause all schedules', 'For 15 minutes');
    await waitFor(() => tray().toolTip.includes('Schedules paused until'), { what: 'the pause' });
    tray().menu.press('Resume all schedules');
    await waitFor(() => tray().toolTip === 'Homeport: Running');
    expect((await client.call('GET /api/v1/sessions')).data.map(({ browser }) => browser).sort()).toEqual([
      expect.stringMatching(/^A browser/),
      expect.stringMatching(/^Homeport app on /),
    ]);
  });

  it('writes diagnostics without secrets where a person says', async () => {
    electron.answers.savePath = join(home.path, 'diagnostics.txt');
    electron.menus.application?.press('Help', 'Save diagnostics');
    const text = await waitFor(
      () => existsSync(electron.answers.savePath) && readFileSync(electron.answers.savePath, 'utf8'),
    );

    expect(text).toContain('===== about.json =====');
    expect(text).toContain('"name": "ready"');
    expect(text).not.toContain(process.env['HOMEPORT_SECRET_KEY']);
    expect(text).not.toContain(process.env['HOMEPORT_MASTER_KEY']);
  });

  it('shows the commands of the page in front in its menu and sends their presses there', async () => {
    await call('setCommands', [[{ id: 'go.logs', keys: ['g l'], label: 'Logs', group: 'Go to' }]]);
    electron.menus.application?.press('Go', 'Logs');

    expect(firstWindow().contents.sent.at(-1)).toEqual({ channel: 'onCommand', args: ['go.logs'] });
    electron.menus.application?.press('View', 'Zoom in');
    expect(firstWindow().contents.zoom).toBe(1.1);
  });

  it('drags a text out of the window as a file, and a file of the functions folder, but no other', async () => {
    const drag = (file: unknown) => call('startDrag', [file]);
    const { drags } = firstWindow().contents;
    await saveFunction(join(home.path, 'data', 'functions'), 'practice/actions/dragged.ts', actionSource('return 1;'));
    writeFileSync(join(home.path, 'secret.txt'), 'not for a page');
    mkdirSync(electron.app.getPath('temp'), { recursive: true });

    expect(await drag({ name: 'operation-1.json', text: '{"a":1}' })).toBe(true);
    expect(await drag({ path: 'practice/actions/dragged.ts' })).toBe(true);
    const files = drags.map(({ file }) => file);
    expect(files.map((file) => basename(file))).toEqual(['operation-1.json', 'dragged.ts']);
    [dragged] = files;
    expect(readFileSync(dragged ?? '', 'utf8')).toBe('{"a":1}');
    expect(drags.map(({ icon }) => basename(String(icon)))).toEqual(['tray-ok@2x.png', 'tray-ok@2x.png']);

    const refused = [
      { name: '../operation.json', text: '' },
      { name: '.profile', text: '' },
      { path: '../secret.txt' },
      { path: join(home.path, 'secret.txt') },
      { path: 'practice/actions/none.ts' },
      'operation.json',
    ];
    for (const file of refused) expect([file, await drag(file)]).toEqual([file, false]);
    expect(drags).toHaveLength(2);
  });

  it('takes a secret from the clipboard again when the app ends', async () => {
    await call('copySecret', ['sk-very-secret']);

    expect(await electron.clipboard.readText()).toBe('sk-very-secret');
  });

  it('asks before it quits while work runs, and continues when the person cancels', async () => {
    await saveFunction(
      join(home.path, 'data', 'functions'),
      'practice/actions/wait.ts',
      actionSource('for (;;) await new Promise((resolve) => setTimeout(resolve, 50));'),
    );
    const trigger = () =>
      fetch(`${address}/action/trigger`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${TEST_SECRET_KEY}`,
          'provider-config-key': 'practice',
          'connection-id': 'me',
          'content-type': 'application/json',
          'x-async': 'true',
        },
        body: JSON.stringify({ action_name: 'wait', input: {} }),
      });
    await waitFor(async () => (await trigger()).ok, { what: 'the action' });
    await waitFor(() => tray().toolTip.includes('running'), { what: 'the run' });
    expect(tray().picture).toContain('tray-working');

    electron.answers.messageBox = 1;
    electron.app.quit();
    await waitFor(() => electron.messageBoxes.length === 1);

    expect(electron.messageBoxes[0]).toMatchObject({ message: 'One run is in progress.', buttons: ['Quit', 'Cancel'] });
    expect(electron.app.hasQuit).toBe(false);

    // With its connection, the run ends.
    const hub = { url: address, secretKey: TEST_SECRET_KEY };
    await officialClient(hub).deleteConnection('practice', 'me');
    await waitFor(() => !tray().toolTip.includes('running'), { what: 'the end of the run' });
    await importConnection(hub, { provider_config_key: 'practice', connection_id: 'me' });
  });

  it('keeps the last window in the background when a person closes it', async () => {
    firstWindow().close();
    expect(firstWindow()).toMatchObject({ visible: false, destroyed: false });
    expect(
      JSON.parse(readFileSync(join(home.path, 'user/appData/Homeport Desktop/windows.json'), 'utf8')),
    ).toMatchObject({
      lastScreen: '1',
    });

    electron.trays[0]?.emit('click');
    expect(firstWindow().visible).toBe(true);
    expect(electron.errors).toEqual([]);
  });
});

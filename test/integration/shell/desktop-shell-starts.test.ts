import { afterEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { type BootedShell, bootShell } from './boot-shell.ts';

let shell: BootedShell;
afterEach(() => shell.end());

const isReady = ({ electron }: BootedShell): boolean => electron.trays[0]?.menu?.entry('Settings').enabled === true;

describe('a start of the desktop shell', () => {
  it('at login shows no window, works all the same, and ends with its last window where a person wants that', {
    tags: ['slow'],
  }, async () => {
    shell = await bootShell({ args: ['--hidden'], settings: { closeAction: 'quit', quickPanelShortcut: null } });
    const { electron } = shell;
    await waitFor(() => isReady(shell), { what: 'the server' });
    expect(electron.windows).toEqual([]);
    expect([...electron.shortcuts]).toEqual([]);

    electron.menus.application?.press('File', 'Quick panel');
    await waitFor(() => electron.windows[0]?.visible, { what: 'the quick panel' });
    electron.trays[0]?.menu?.press('Open Homeport');
    const window = await waitFor(() => electron.windows[1]?.loaded.length && electron.windows[1]);
    // The panel has signed the profile in.
    expect(window.loaded[0]).toMatch(/\/app\/$/);
    window.close();

    await waitFor(() => electron.app.hasQuit, { what: 'the end of the app' });
  });

  it('by a link opens its page once the server is there, in one window', async () => {
    shell = await bootShell({ args: ['homeport://open/dev/logs?q=a'] });
    const { electron } = shell;
    await waitFor(() => electron.windows[0]?.loaded.some((url) => url.includes('/app/dev/logs?q=a#code=')), {
      what: 'the page of the link',
    });

    expect(electron.windows).toHaveLength(1);
    expect(electron.windows[0]?.visible).toBe(true);
  });
});

describe('the end of the desktop shell with text that is not saved', () => {
  it.each([
    ['comes after one question, when the person discards it', false, ['Leave without saving?']],
    ['waits for no question when the computer shuts down', true, []],
  ])('%s', async (_what, isShutdown, questions) => {
    shell = await bootShell();
    const { electron } = shell;
    await waitFor(() => electron.windows[0]?.loaded.some((url) => url.includes('/app/')), { what: 'the dashboard' });
    electron.menus.application?.press('File', 'New window');
    await waitFor(() => electron.windows[1]?.loaded.length, { what: 'the second window' });
    for (const { contents } of electron.windows) contents.hasUnsavedText = true;
    electron.answers.messageBox = 1;

    if (isShutdown) electron.powerMonitor.emit('shutdown');
    else electron.app.quit();

    await waitFor(() => electron.app.hasQuit, { what: 'the end of the app' });
    expect(electron.messageBoxes.map(({ message }) => message)).toEqual(questions);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { type BootedShell, bootShell } from './boot-shell.ts';

let shell: BootedShell;
afterEach(() => shell.end());

const isReady = ({ electron }: BootedShell): boolean => electron.trays[0]?.menu?.entry('Settings').enabled === true;

describe('a start of the desktop shell', () => {
  it('at login shows no window, works all the same, and ends with its last window where a person wants that', async () => {
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

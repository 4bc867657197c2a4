import { describe, expect, it } from 'vitest';
import { KEY_MAP } from '../../renderer/lib/key-map.ts';
import { acceleratorOf, applicationMenu, type MenuEntry, nextZoom, USUAL_COMMANDS } from './menu-model.ts';

const flat = (entries: MenuEntry[]): MenuEntry[] => entries.flatMap((entry) => [entry, ...flat(entry.submenu ?? [])]);
const menu = (commands = USUAL_COMMANDS, platform: NodeJS.Platform = 'linux') =>
  applicationMenu({ platform, isPackaged: true, commands });

describe('the application menu', () => {
  it('shows every command of the keyboard map that works everywhere, each once, with its keys', () => {
    const entries = flat(menu());
    for (const { id, keys, label } of Object.values(KEY_MAP).filter(
      (one) => one.group === 'Everywhere' && one.id !== 'close',
    )) {
      const found = entries.filter(({ action }) => action?.do === 'command' && action.id === id);
      expect(found.map((one) => one.label)).toEqual([label]);
      expect(found[0]?.accelerator).toBe(keys.map(acceleratorOf).find(Boolean));
    }
  });

  it('leaves keys of the page to the page: the menu would answer them a second time', () => {
    const withKeys = flat(menu()).filter(({ action, accelerator }) => action?.do === 'command' && accelerator);

    expect(withKeys.length).toBeGreaterThan(3);
    expect(withKeys.every(({ isKeyOfPage }) => isKeyOfPage)).toBe(true);
  });

  it('uses no accelerator twice', () => {
    const used = flat(menu()).flatMap(({ accelerator }) => accelerator ?? []);

    expect(new Set(used).size).toBe(used.length);
  });

  it('puts screens below Go and what the page can do below Commands', () => {
    const [logs, create] = [
      { id: 'go.logs', keys: ['g l'], label: 'Logs', group: 'Go to' },
      { id: 'create', keys: ['n'], label: 'New', group: 'This page' },
    ] as const;
    const found = menu([logs, create]);

    expect(found.find(({ label }) => label === 'Go')?.submenu).toEqual([
      { label: 'Logs', action: { do: 'command', id: 'go.logs' } },
    ]);
    expect(found.find(({ label }) => label === 'Commands')?.submenu).toEqual([
      { label: 'New', action: { do: 'command', id: 'create' } },
    ]);
  });

  it('has a menu of the app on macOS, and no tools of developers in a package', () => {
    expect(menu(USUAL_COMMANDS, 'darwin')[0]).toEqual({ role: 'appMenu' });
    expect(flat(menu()).some(({ role }) => role === 'toggleDevTools')).toBe(false);
  });
});

describe('keys', () => {
  it.each([
    ['mod+k', 'CommandOrControl+K'],
    ['mod+shift+l', 'CommandOrControl+Shift+L'],
    ['mod+enter', 'CommandOrControl+Enter'],
    ['mod+[', 'CommandOrControl+['],
    ['g l', undefined],
    ['n', undefined],
    ['shift+c', undefined],
  ])('%s is %s in a menu', (chord, accelerator) => {
    expect(acceleratorOf(chord)).toBe(accelerator);
  });
});

describe('zoom', () => {
  it('goes from 50 to 200 % in steps and back to 100', () => {
    const steps = [1];
    while (steps.at(-1) !== nextZoom(steps.at(-1) ?? 1, 1)) steps.push(nextZoom(steps.at(-1) ?? 1, 1));
    expect(steps).toEqual([1, 1.1, 1.25, 1.5, 1.75, 2]);
    expect(nextZoom(0.5, -1)).toBe(0.5);
    expect(nextZoom(1.75, 0)).toBe(1);
  });
});

import { EventEmitter } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { UpdateFlow } from '../../../electron/main/update-flow.ts';
import { createFakeElectron, type FakeElectron } from '../../support/fake-electron.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

/** The feed offers 2.0.0, which is downloaded at once, or nothing. */
class FakeUpdater extends EventEmitter {
  offers = true;
  readonly done: string[] = [];
  channel = '';
  allowDowngrade = true;
  autoDownload = true;
  autoInstallOnAppQuit = true;
  checkForUpdates = async () => ({ isUpdateAvailable: this.offers, updateInfo: { version: '2.0.0' } });
  downloadUpdate = async () => {
    this.emit('update-downloaded', { version: '2.0.0', releaseNotes: 'Calmer' });
  };
  quitAndInstall = () => void this.done.push('quit and install');
}

let home: TempHome;
const resources = Object.getOwnPropertyDescriptor(process, 'resourcesPath');
beforeAll(async () => {
  home = await createTempHome();
});
afterAll(async () => {
  if (resources) Object.defineProperty(process, 'resourcesPath', resources);
  else Reflect.deleteProperty(process, 'resourcesPath');
  await home.remove();
});

let flow: UpdateFlow | undefined;
afterEach(() => {
  flow?.stop();
  vi.doUnmock('electron');
  vi.doUnmock('electron-updater');
  vi.resetModules();
});

interface Started {
  updater: FakeUpdater;
  electron: FakeElectron;
  hub: { calls: Array<[string, unknown]>; begin: () => void; isRefusing: boolean };
  sent: string[];
}

async function start({ isPackaged = true, hasFeed = true, offers = true } = {}): Promise<Started> {
  const updater = new FakeUpdater();
  updater.offers = offers;
  const electron = createFakeElectron({ userFolder: join(home.path, 'user') });
  Object.assign(electron.app, { isPackaged });
  electron.app.setPath('userData', home.path);
  if (hasFeed) writeFileSync(join(home.path, 'app-update.yml'), 'provider: generic\n');
  writeFileSync(join(home.path, 'package-type'), 'deb');
  Object.defineProperty(process, 'resourcesPath', {
    value: hasFeed ? home.path : join(home.path, 'none'),
    configurable: true,
  });
  vi.resetModules();
  vi.doMock('electron', () => electron.module);
  vi.doMock('electron-updater', () => ({ default: { autoUpdater: updater } }));
  const listeners: Array<() => void> = [];
  const hub = {
    calls: [] as Array<[string, unknown]>,
    status: undefined as { running: number } | undefined,
    isRefusing: false,
    on: (_name: string, listener: () => void) => void listeners.push(listener),
    call: async (key: string, parts: { body?: unknown } = {}) => {
      if (hub.isRefusing) throw new Error('The hub is away.');
      hub.calls.push([key, parts.body]);
      return key.startsWith('GET') ? { backupFolder: '/backups' } : { name: 'one.db' };
    },
    begin: () => {
      hub.status = { running: 0 };
      for (const listener of listeners) listener();
    },
  };
  const sent: string[] = [];
  const { setupUpdates } = await import('../../../electron/main/updates.ts');
  flow = setupUpdates({
    hub: hub as never,
    windows: {
      send: (name, state) => void sent.push(`${name} ${(state as { name: string }).name}`),
      mayCloseAll: async () => true,
    },
    kept: {
      forget: () => void updater.done.push('forget'),
      isRefused: () => false,
      keep: async (next, backup) => void updater.done.push(`keep this version beside ${next} and ${backup}`),
      noteNewPlace: () => {},
    },
    prepareQuit: async () => void updater.done.push('prepared to quit'),
  });
  return { updater, electron, hub, sent };
}

describe('updates of the desktop app', () => {
  it('are for packages with a feed alone', async () => {
    await start({ isPackaged: false });
    expect(flow).toBeUndefined();
    await start({ hasFeed: false });
    expect(flow).toBeUndefined();
  });

  it('reach the pages as they come, and the notification centre once there is a hub', async () => {
    const { hub, sent } = await start();
    await waitFor(() => flow?.state.name === 'ready');
    expect(sent).toEqual(['onUpdateState checking', 'onUpdateState downloading', 'onUpdateState ready']);
    expect(hub.calls).toEqual([]);

    hub.isRefusing = true;
    hub.begin();
    await Promise.resolve();
    hub.isRefusing = false;
    await waitFor(() => {
      hub.begin();
      return hub.calls.length > 0;
    });
    hub.begin();

    expect(hub.calls).toEqual([['POST /api/v1/notifications/update', { version: '2.0.0' }]]);
  });

  it('are withdrawn from the notification centre once the feed offers no update', async () => {
    const { hub } = await start({ offers: false });
    await waitFor(() => flow?.state.name === 'current');
    hub.begin();
    hub.begin();

    expect(hub.calls).toEqual([['POST /api/v1/notifications/update', { version: null }]]);
  });

  it('are installed after a copy of the database, and say what is new at the next start', async () => {
    const { electron: first, hub, updater } = await start();
    await waitFor(() => flow?.state.name === 'ready');
    hub.begin();

    await flow?.install();

    expect(hub.calls.at(-1)?.[0]).toBe('POST /api/v1/data/backups');
    expect(updater.done).toEqual([
      'keep this version beside 2.0.0 and /backups/one.db',
      'prepared to quit',
      'quit and install',
    ]);
    expect(first.app.hasLock).toBe(false);
    const file = join(home.path, 'installed-update.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ version: '2.0.0', notes: 'Calmer' });

    writeFileSync(file, JSON.stringify({ version: '0.0.0-test', notes: 'Calmer' }));
    const { electron } = await start();
    await waitFor(() => electron.messageBoxes.length === 1);
    expect(electron.messageBoxes[0]).toMatchObject({ detail: 'Calmer' });
    expect(existsSync(file)).toBe(false);
  });
});

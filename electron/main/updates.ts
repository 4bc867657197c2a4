import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { app, dialog } from 'electron';
import electronUpdater from 'electron-updater';
import type { UpdateState } from '../../server/contract/shell-bridge.ts';
import type { HubLink } from '../server-process/hub-link.ts';
import { findUpdateObstacle } from './app-location.ts';
import type { AppWindows } from './app-windows.ts';
import type { KeptVersion } from './kept-version.ts';
import { type InstalledUpdate, installedNotes, UpdateFlow } from './update-flow.ts';

interface UpdateParts {
  hub: Pick<HubLink, 'call' | 'on' | 'status'>;
  windows: Pick<AppWindows, 'mayCloseAll' | 'send'>;
  kept: Pick<KeptVersion, 'forget' | 'isRefused' | 'keep' | 'noteNewPlace'>;
  /** Stops the server and everything else that would delay the end of the app. */
  prepareQuit: () => Promise<void>;
}

/** In characters. A longer text would make the dialog larger than the screen. */
const MAX_NOTES_LENGTH = 1500;
/** In milliseconds. The database of a busy hub has gigabytes. */
const BACKUP_LIMIT_MS = 600_000;

/** Whether this package has the address of a feed. */
export function hasUpdateFeed(): boolean {
  return app.isPackaged && existsSync(path.join(process.resourcesPath, 'app-update.yml'));
}

/**
 * Checks for updates and reports them to the pages and the notification centre (`update-flow.ts` decides when one is
 * installed). Undefined in a checkout, in a package without the address of a feed, and in one that cannot replace itself.
 */
export function setupUpdates({ hub, windows, kept, prepareQuit }: UpdateParts): UpdateFlow | undefined {
  if (!hasUpdateFeed() || findUpdateObstacle() !== undefined) return undefined;
  const file = path.join(app.getPath('userData'), 'installed-update.json');
  const { autoUpdater } = electronUpdater;
  const flow = new UpdateFlow({
    updater: autoUpdater,
    // Users of a version such as 0.3.0-beta.1 get the next beta versions.
    channel: app.getVersion().includes('-') ? 'beta' : 'latest',
    countRunning: async () => hub.status?.running ?? 0,
    mayQuit: () => windows.mayCloseAll(),
    async backUp() {
      const { backupFolder } = await hub.call('GET /api/v1/data');
      const { name } = await hub.call('POST /api/v1/data/backups', { limitMs: BACKUP_LIMIT_MS });
      return path.join(backupFolder, name);
    },
    keepVersion: (next, backup) => kept.keep(next, backup),
    isRefused: (version) => kept.isRefused(version),
    remember: (installed) => writeFileSync(file, JSON.stringify(installed)),
    async prepareQuit() {
      await prepareQuit();
      // Some updaters start the new version before this one has ended.
      app.releaseSingleInstanceLock();
    },
    startAgain(message) {
      kept.forget();
      dialog.showErrorBox('The update was not installed', `${message}\n\nHomeport starts again as it was.`);
      app.relaunch();
      app.quit();
    },
  });
  autoUpdater.on('appimage-filename-updated', (place) => kept.noteNewPlace(place));
  flow.onState((state) => windows.send('onUpdateState', state));
  notifyWhenKnown(flow, hub);
  void app.whenReady().then(() => {
    showInstalledNotes(file);
    flow.start();
  });
  app.on('will-quit', () => flow.stop());
  return flow;
}

/**
 * Tells the hub once per version, and also that there is no update, which ends an earlier notification. Waits until
 * there is a hub.
 */
function notifyWhenKnown(flow: UpdateFlow, hub: UpdateParts['hub']): void {
  let notified: string | null | undefined;
  const notify = async (): Promise<void> => {
    const version = readyVersion(flow.state);
    if (version === undefined || version === notified || !hub.status) return;
    notified = version;
    try {
      await hub.call('POST /api/v1/notifications/update', { body: { version } });
    } catch (error) {
      // The hub stopped; its next status runs this again.
      if (!(error instanceof Error)) throw error;
      notified = undefined;
    }
  };
  flow.onState(() => void notify());
  hub.on('status', () => void notify());
}

/** Null when the feed offers no version; undefined while that is unknown. */
function readyVersion(state: UpdateState): string | null | undefined {
  if (state.name === 'ready') return state.version;
  return state.name === 'current' ? null : undefined;
}

/** Shows the notes once after an update. */
function showInstalledNotes(file: string): void {
  if (!existsSync(file)) return;
  const notes = installedNotes(readInstalled(file), app.getVersion());
  rmSync(file, { force: true });
  if (notes === undefined) return;
  const message = `What is new in Homeport ${app.getVersion()}`;
  void dialog.showMessageBox({ type: 'info', message, detail: notes.slice(0, MAX_NOTES_LENGTH), buttons: ['OK'] });
}

function readInstalled(file: string): InstalledUpdate | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as InstalledUpdate;
  } catch (error) {
    // The file was cut short by a power loss. Only the notes are lost.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

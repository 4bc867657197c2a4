import path from 'node:path';
import { app, nativeImage, Tray } from 'electron';
import type { ShellAction } from '../rules/menu-model.ts';
import { countOf, type TrayFacts, type TrayIcon, trayIcon, trayMenu, trayText } from '../rules/tray-model.ts';
import type { HubLink } from '../server-process/hub-link.ts';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';
import { buildMenu } from './menu-builder.ts';
import { hasTrayWatcher } from './tray-watcher.ts';

interface TrayParts {
  supervisor: ServerSupervisor;
  hub: HubLink;
  perform: (action: ShellAction) => void;
}

/** A pause that ends by itself sends no event, so the menu is redrawn after this time. */
const REDRAW_MS = 60_000;

/** The icon in the tray, with its menu. */
export class AppTray {
  readonly #parts: TrayParts;
  #tray: Tray | undefined;
  #hasWatcher = false;
  #shown = '';

  constructor(parts: TrayParts) {
    this.#parts = parts;
    void app.whenReady().then(() => this.#start());
  }

  /** Whether a person sees the icon, with which a hidden window comes back. */
  get isSeen(): boolean {
    return this.#tray !== undefined && this.#hasWatcher;
  }

  #start(): void {
    const { hub, perform, supervisor } = this.#parts;
    // The desktop may get its tray later than this app, when both start at login.
    app.on('browser-window-focus', () => void this.#lookForWatcher());
    void this.#lookForWatcher();
    try {
      this.#tray = new Tray(picture('ok'));
    } catch (error) {
      // A desktop without a tray; the settings say so. The number on the app's icon is set all the same.
      if (!(error instanceof Error)) throw error;
    }
    this.#tray?.on('click', () => perform({ do: 'show' }));
    const draw = (): void => this.#draw();
    supervisor.onState(draw);
    hub.on('status', draw);
    const timer = setInterval(draw, REDRAW_MS);
    app.once('will-quit', () => clearInterval(timer));
    draw();
  }

  async #lookForWatcher(): Promise<void> {
    if (!this.#hasWatcher) this.#hasWatcher = await hasTrayWatcher();
  }

  #draw(): void {
    const { hub, perform, supervisor } = this.#parts;
    const facts: TrayFacts = { server: supervisor.state, hub: hub.status, now: Date.now() };
    const icon = trayIcon(facts);
    const count = facts.hub ? countOf(facts.hub) : 0;
    const entries = trayMenu(facts);
    const state = JSON.stringify([icon, count, entries]);
    // A new menu would close an open one, so it is replaced only when it changed.
    if (state === this.#shown) return;
    this.#shown = state;
    this.#tray?.setContextMenu(buildMenu(entries, perform));
    this.#tray?.setImage(picture(icon));
    this.#tray?.setToolTip(`Homeport: ${trayText(facts)}`);
    // The number in the macOS menu bar, and on the icon of the dock or the launcher.
    if (process.platform === 'darwin') this.#tray?.setTitle(count > 0 ? ` ${count}` : '');
    app.setBadgeCount(count);
  }
}

/** macOS colours template images itself; Windows needs its own format. */
function picture(icon: TrayIcon): Electron.NativeImage {
  const name = { darwin: `tray-${icon}-Template.png`, win32: `tray-${icon}.ico` }[process.platform as string];
  return nativeImage.createFromPath(path.join(import.meta.dirname, 'tray', name ?? `tray-${icon}.png`));
}

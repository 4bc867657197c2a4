import path from 'node:path';
import { app, nativeImage, Tray } from 'electron';
import type { ShellAction } from '../rules/menu-model.ts';
import { countOf, type TrayFacts, type TrayIcon, trayIcon, trayMenu, trayText } from '../rules/tray-model.ts';
import type { HubLink } from '../server-process/hub-link.ts';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';
import { buildMenu } from './menu-builder.ts';

interface TrayParts {
  supervisor: ServerSupervisor;
  hub: HubLink;
  perform: (action: ShellAction) => void;
}

/** A pause that ends by itself sends no event, so the menu is redrawn after this time. */
const REDRAW_MS = 60_000;

export function setupTray({ supervisor, hub, perform }: TrayParts): void {
  void app.whenReady().then(() => {
    const tray = new Tray(picture('ok'));
    const facts = (): TrayFacts => ({ server: supervisor.state, hub: hub.status, now: Date.now() });
    let shown = '';
    const draw = (): void => {
      const now = facts();
      const icon = trayIcon(now);
      const count = now.hub ? countOf(now.hub) : 0;
      const entries = trayMenu(now);
      const menuState = JSON.stringify([icon, count, entries]);
      // A new menu would close an open one, so it is replaced only when it changed.
      if (menuState === shown) return;
      shown = menuState;
      tray.setContextMenu(buildMenu(entries, perform));
      tray.setImage(picture(icon));
      tray.setToolTip(`Homeport: ${trayText(now)}`);
      // The number in the macOS menu bar, and on the icon of the dock or the launcher.
      if (process.platform === 'darwin') tray.setTitle(count > 0 ? ` ${count}` : '');
      app.setBadgeCount(count);
    };
    tray.on('click', () => perform({ do: 'show' }));
    supervisor.onState(draw);
    hub.on('status', draw);
    const timer = setInterval(draw, REDRAW_MS);
    app.once('will-quit', () => clearInterval(timer));
    draw();
  });
}

/** macOS colours template images itself; Windows needs its own format. */
function picture(icon: TrayIcon): Electron.NativeImage {
  const name = { darwin: `tray-${icon}-Template.png`, win32: `tray-${icon}.ico` }[process.platform as string];
  return nativeImage.createFromPath(path.join(import.meta.dirname, 'tray', name ?? `tray-${icon}.png`));
}

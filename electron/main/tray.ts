import path from 'node:path';
import { app, clipboard, Menu, nativeImage, Tray } from 'electron';
import type { ServerState } from '../../server/contract/shell-messages.ts';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';
import type { MainWindow } from './main-window.ts';

const STATUS: Record<ServerState['name'], string> = {
  starting: 'Starting',
  ready: 'Running',
  restarting: 'Starting again',
  locked: 'Vault locked',
  failed: 'Not running',
  stopped: 'Stopped',
};

export function setupTray({ supervisor, window }: { supervisor: ServerSupervisor; window: MainWindow }): void {
  void app.whenReady().then(() => {
    const tray = new Tray(nativeImage.createFromPath(path.join(import.meta.dirname, 'tray.png')));
    tray.on('click', () => window.show());
    const draw = (state: ServerState): void => {
      tray.setToolTip(`Homeport: ${STATUS[state.name]}`);
      tray.setContextMenu(buildMenu(state, window));
    };
    supervisor.onState(draw);
    draw(supervisor.state);
  });
}

function buildMenu(state: ServerState, window: MainWindow): Menu {
  const address = state.name === 'ready' ? state.address : undefined;
  return Menu.buildFromTemplate([
    { label: STATUS[state.name], enabled: false },
    { type: 'separator' },
    { label: 'Open Homeport', click: () => window.show() },
    { label: 'Copy API URL', enabled: address !== undefined, click: () => clipboard.writeText(address ?? '') },
    { type: 'separator' },
    { label: 'Quit', click: () => app.quit() },
  ]);
}

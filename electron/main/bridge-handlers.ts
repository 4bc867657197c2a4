import { app, type IpcMainInvokeEvent, ipcMain, shell } from 'electron';
import type { DesktopBridge } from '../../server/contract/shell-messages.ts';
import type { ServerSupervisor } from '../server-process/server-supervisor.ts';
import { isInsideFolder, isServerPage, mayOpenOutside } from './address-rules.ts';

/** The bridge without its subscription, which is pushed (`MainWindow`). */
type Handlers = Omit<DesktopBridge, 'onServerState'>;

export function setupBridge(supervisor: ServerSupervisor): void {
  const handlers: Handlers = {
    getVersion: async () => app.getVersion(),
    getServerState: async () => supervisor.state,
    restartServer: () => supervisor.restart(),
    async openExternal(url) {
      if (typeof url !== 'string' || !mayOpenOutside(url)) return false;
      await shell.openExternal(url);
      return true;
    },
    async showItemInFolder(path) {
      const folder = supervisor.ready?.functionsFolder;
      if (typeof path !== 'string' || folder === undefined || !isInsideFolder(path, folder)) return false;
      shell.showItemInFolder(path);
      return true;
    },
  };
  for (const [name, handle] of Object.entries(handlers)) {
    ipcMain.handle(name, (event, ...args) => {
      checkSender(event, supervisor);
      return (handle as (...args: unknown[]) => unknown)(...args);
    });
  }
}

/** Only the top frame of a page of the server may use the bridge. */
function checkSender(event: IpcMainInvokeEvent, supervisor: ServerSupervisor): void {
  const frame = event.senderFrame;
  const isAllowed = frame?.parent === null && isServerPage(frame.url, supervisor.ready?.address);
  if (!isAllowed) throw new Error('This page may not use the desktop bridge.');
}

import { contextBridge, ipcRenderer } from 'electron';
import type { DesktopBridge, ServerState } from '../../server/contract/shell-messages.ts';

const call = (name: keyof DesktopBridge, ...args: unknown[]) => ipcRenderer.invoke(name, ...args);

const bridge: DesktopBridge = {
  getVersion: () => call('getVersion'),
  getServerState: () => call('getServerState'),
  onServerState(listener) {
    const forward = (_event: Electron.IpcRendererEvent, state: ServerState): void => listener(state);
    ipcRenderer.on('onServerState', forward);
    return () => void ipcRenderer.removeListener('onServerState', forward);
  },
  restartServer: () => call('restartServer'),
  openExternal: (url) => call('openExternal', url),
  showItemInFolder: (path) => call('showItemInFolder', path),
};

contextBridge.exposeInMainWorld('homeport', bridge);

import { contextBridge, ipcRenderer } from 'electron';
import type { DesktopBridge } from '../../server/contract/shell-bridge.ts';

const call = (name: keyof DesktopBridge, ...args: unknown[]) => ipcRenderer.invoke(name, ...args);

/** Subscribes to an event of the shell. Returns a function that ends the subscription. */
function subscribe<Value>(name: keyof DesktopBridge, listener: (value: Value) => void): () => void {
  const forward = (_event: Electron.IpcRendererEvent, value: Value): void => listener(value);
  ipcRenderer.on(name, forward);
  return () => void ipcRenderer.removeListener(name, forward);
}

const bridge: DesktopBridge = {
  getVersion: () => call('getVersion'),
  getServerState: () => call('getServerState'),
  onServerState: (listener) => subscribe('onServerState', listener),
  restartServer: () => call('restartServer'),
  logIn: () => call('logIn'),
  getLoginCode: () => call('getLoginCode'),
  openExternal: (url) => call('openExternal', url),
  showItemInFolder: (path) => call('showItemInFolder', path),
  openInEditor: (path, line) => call('openInEditor', path, line),
  copySecret: (text) => call('copySecret', text),
  findInPage: (text, options) => call('findInPage', text, options),
  getSettings: () => call('getSettings'),
  updateSettings: (change) => call('updateSettings', change),
  getNotices: () => call('getNotices'),
  getUpdateState: () => call('getUpdateState'),
  onUpdateState: (listener) => subscribe('onUpdateState', listener),
  checkForUpdates: () => call('checkForUpdates'),
  installUpdate: () => call('installUpdate'),
  cancelUpdate: () => call('cancelUpdate'),
  takeOpenedFile: () => call('takeOpenedFile'),
  installCommandLine: () => call('installCommandLine'),
  getDiagnostics: () => call('getDiagnostics'),
  saveDiagnostics: () => call('saveDiagnostics'),
  startDrag: (file) => call('startDrag', file),
  setCommands: (commands) => call('setCommands', commands),
  onCommand: (listener) => subscribe('onCommand', listener),
};

contextBridge.exposeInMainWorld('homeport', bridge);

import { existsSync } from 'node:fs';
import path from 'node:path';
import { NODE_MODULES } from './setup/setup-paths.mjs';

const BINARY =
  { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[process.platform] ?? 'electron';

const BINARY_PATH = path.join(NODE_MODULES, 'electron/dist', BINARY);
const isDownloaded = () => existsSync(BINARY_PATH);
const hasScreen = (env) => process.platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);

/** Path of Electron's program if it was downloaded (`npx install-electron`) and there is a screen for its window. */
export function findElectron(env = process.env) {
  return hasScreen(env) && isDownloaded() ? BINARY_PATH : undefined;
}

/** Says why there is no window, and what to do about it. */
export function whyNoWindow() {
  return isDownloaded()
    ? 'There is no screen for the desktop window; the dashboard opens in the browser.'
    : 'The desktop window is not installed; the dashboard opens in the browser. To have the window: npx install-electron (about 100 MB), then npm start.';
}

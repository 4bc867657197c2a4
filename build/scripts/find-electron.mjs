import { existsSync } from 'node:fs';
import path from 'node:path';
import { NODE_MODULES } from './setup/setup-paths.mjs';

const BINARY =
  { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[process.platform] ?? 'electron';

/** Electron's binary, when it was downloaded (`npx install-electron`) and there is a screen to show a window on. */
export function findElectron(env = process.env) {
  const binary = path.join(NODE_MODULES, 'electron/dist', BINARY);
  const hasScreen = process.platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return hasScreen && existsSync(binary) ? binary : undefined;
}

import type { BrowserWindow } from 'electron';
import { reportStart } from './start-report.ts';

/** In milliseconds. A window that is late is better than none. */
const REVEAL_LIMIT_MS = 3000;

/**
 * Shows a new window after its first paint; a dark page would otherwise start with a white flash. On some Wayland desktops a
 * hidden window paints nothing, so `ready-to-show` never comes (electron#48859): the end of the first load and a time limit
 * show it as well.
 */
export function revealWhenDrawn(window: BrowserWindow): void {
  let isShown = false;
  const show = (): void => {
    clearTimeout(timer);
    if (isShown || window.isDestroyed()) return;
    isShown = true;
    window.show();
    reportStart({ hasWindow: true });
  };
  const timer = setTimeout(show, REVEAL_LIMIT_MS);
  window.once('ready-to-show', show);
  window.webContents.once('did-finish-load', show);
  window.once('closed', () => clearTimeout(timer));
}

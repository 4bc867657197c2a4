import { appendFileSync } from 'node:fs';
import { isSystemError } from '../server-process/system-error.ts';

interface StartFacts {
  /** Process of the server, which may outlive an app that crashes by some seconds. */
  serverPid?: number | undefined;
  /** Data folder of the running server. */
  dataFolder?: string;
  /** A window was shown, or none is wanted now. */
  hasWindow?: true;
  /** The app ends because somebody wants that, or because another one runs already. */
  isQuitting?: true;
}

const reportFile = (): string | undefined => process.env['HOMEPORT_WINDOW_REPORT'];

/** Whether `npm start` or the launcher of a Linux package has started the app and waits for its end. */
export function isStartWatched(): boolean {
  return Boolean(reportFile());
}

/**
 * Tells `npm start`, and the launcher of Linux, how far the start is, in the file that they name: Electron has no other sign
 * that is the same on every system (build/scripts/open-window.mjs). Nothing in packages of macOS and Windows.
 */
export function reportStart(facts: StartFacts): void {
  const file = reportFile();
  if (!file) return;
  try {
    appendFileSync(file, `${JSON.stringify(facts)}\n`);
  } catch (error) {
    // What watched the start has ended and removed its folder.
    if (!isSystemError(error)) throw error;
  }
}

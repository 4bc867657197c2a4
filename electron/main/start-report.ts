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

/**
 * Tells `npm start` how far the start is, in the file that it names: Electron has no other sign that is the same on every
 * system (build/scripts/open-window.mjs). Nothing in a package.
 */
export function reportStart(facts: StartFacts): void {
  const file = process.env['HOMEPORT_WINDOW_REPORT'];
  if (!file) return;
  try {
    appendFileSync(file, `${JSON.stringify(facts)}\n`);
  } catch (error) {
    // `npm start` has ended and removed its folder.
    if (!isSystemError(error)) throw error;
  }
}

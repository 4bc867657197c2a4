import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

interface Start {
  /** The app's main file. */
  entry: string;
  /** What a person starts. */
  executable: string;
  args: string[];
  isPackaged: boolean;
  version: string;
}

/** A main file of a checkout, or the program of a package with the `resources` beside it, as a folder or an archive. */
export function readStart([first = '', second = '', ...others]: string[]): Start {
  if (first !== '--package')
    return {
      entry: first,
      // A script that starts the stand-in, where the app starts itself once more.
      executable: process.env['HOMEPORT_STAND_IN_PROGRAM'] ?? process.execPath,
      args: second === '' ? others : [second, ...others],
      isPackaged: false,
      version: '0.0.0-stand-in',
    };
  const resources = path.join(path.dirname(second), 'resources');
  Object.defineProperty(process, 'resourcesPath', { value: resources, configurable: true });
  const app = appFolder(resources);
  const { main, version } = JSON.parse(readFileSync(path.join(app, 'package.json'), 'utf8')) as {
    main: string;
    version: string;
  };
  return { entry: path.join(app, main), executable: second, args: others, isPackaged: true, version };
}

function appFolder(resources: string): string {
  const folder = path.join(resources, 'app');
  if (existsSync(folder)) return folder;
  const unpacked = mkdtempSync(path.join(os.tmpdir(), 'stand-in-app-'));
  const { extractAll } = createRequire(import.meta.url)('@electron/asar') as {
    extractAll: (archive: string, to: string) => void;
  };
  extractAll(path.join(resources, 'app.asar'), unpacked);
  return unpacked;
}

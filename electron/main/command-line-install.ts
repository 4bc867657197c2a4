import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { app } from 'electron';
import type { ShellResult } from '../../server/contract/shell-bridge.ts';
import { LAUNCHER_MARK, toolLauncher } from '../rules/command-line-tool.ts';
import { isSystemError } from '../server-process/system-error.ts';
import { locateServer } from './server-location.ts';

const NO_APP_IMAGE =
  'An AppImage runs from another path at each start. Install the deb or rpm package, or the command line from its own archive.';

/** Adds `homeport` of this installation to the PATH of this user. A file of another program is not replaced. */
export function installCommandLine(): ShellResult<{ path: string; hint: string | null }> {
  const { entry, runtime } = locateServer();
  const launcher = toolLauncher({
    platform: process.platform,
    home: app.getPath('home'),
    runtime,
    entry: path.join(path.dirname(entry), 'cli-main.mjs'),
    searchPath: process.env['PATH'] ?? '',
    appImage: process.env['APPIMAGE'],
  });
  if (!launcher) return { ok: false, message: NO_APP_IMAGE };
  try {
    const known = readIfExists(launcher.file);
    if (known !== undefined && !known.includes(LAUNCHER_MARK))
      return { ok: false, message: `${launcher.file} belongs to another program. Rename it, then try again.` };
    mkdirSync(path.dirname(launcher.file), { recursive: true });
    writeFileSync(launcher.file, launcher.text);
    chmodSync(launcher.file, 0o755);
    return { ok: true, path: launcher.file, hint: launcher.hint ?? null };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ok: false, message: `The command could not be installed: ${error.message}` };
  }
}

function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chooseWindow } from './desktop-window.mjs';
import { launchApp } from './launch-app.mjs';
import { DIST, ROOT } from './setup/setup-paths.mjs';
import { SetupProblem } from './setup/setup-problem.mjs';

/**
 * What `homeport-desktop` of a package for Linux runs (build/resources/launchers/homeport-desktop). Chromium ends before any
 * code of the app for root, without a screen, without a sandbox and without its libraries, so somebody else has to say why.
 */
const { env } = process;
const home = os.homedir();
const program = path.join(ROOT, '../homeport-desktop.bin');
const started = env.APPIMAGE ?? path.join(ROOT, '../homeport-desktop');
const args = process.argv.slice(2);

if (env.APPIMAGE && args.includes('--no-sandbox'))
  process.stderr.write(
    'Chromium runs without its sandbox: an AppImage gives it up where the system allows none. The deb and rpm packages have it.\n',
  );

try {
  await launchApp({
    choice: chooseWindow(),
    runtime: process.execPath,
    program,
    args: args.filter((one) => one !== '--browser'),
    command: (more) => (more ? `${quoted(started)} ${more}` : quoted(started)),
    insteadOfServer,
  });
} catch (error) {
  if (!(error instanceof SetupProblem)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** A second click finds the hub of the first. And a new version that does not start makes room for the former one. */
function insteadOfServer() {
  const former = path.join(
    env.XDG_CONFIG_HOME || path.join(home, '.config'),
    'Homeport Desktop/former-version/former.json',
  );
  if (existsSync(former)) return 1;
  // The package's own folder may not be written, or be at another place at each start (AppImage).
  env.NODE_COMPILE_CACHE ??= path.join(env.XDG_CACHE_HOME || path.join(home, '.cache'), 'homeport/compile');
  const { status } = spawnSync(process.execPath, [path.join(DIST, 'server/cli-main.mjs'), 'open', '--browser'], {
    stdio: ['ignore', 'inherit', 'ignore'],
  });
  return status === 0 ? 0 : undefined;
}

function quoted(file) {
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`;
}

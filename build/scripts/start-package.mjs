import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chooseWindow } from './desktop-window.mjs';
import { launchApp } from './launch-app.mjs';
import { DIST, ROOT } from './setup/setup-paths.mjs';
import { SetupProblem } from './setup/setup-problem.mjs';

/** An update is watched for a minute; an older file was left behind when the computer went down. */
const WATCH_LIMIT_MS = 10 * 60_000;

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
function insteadOfServer(reason) {
  if (reason && isUpdateWatched()) {
    process.stderr.write(`${reason}\n`);
    process.exit(1);
  }
  // The package's own folder may not be written, or be at another place at each start (AppImage).
  env.NODE_COMPILE_CACHE ??= path.join(env.XDG_CACHE_HOME || path.join(home, '.cache'), 'homeport/compile');
  const how = args.includes('--hidden') ? '--no-browser' : '--browser';
  const { status } = spawnSync(process.execPath, [path.join(DIST, 'server/cli-main.mjs'), 'open', how], {
    stdio: ['ignore', 'inherit', 'ignore'],
  });
  return status === 0 ? 0 : undefined;
}

/** Whether a process puts the former version back when this one does not start (electron/main/kept-version.ts). */
function isUpdateWatched() {
  const settings = env.XDG_CONFIG_HOME || path.join(home, '.config');
  const former = path.join(settings, 'Homeport Desktop/former-version/former.json');
  const changedAt = statSync(former, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - changedAt < WATCH_LIMIT_MS;
}

function quoted(file) {
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`;
}

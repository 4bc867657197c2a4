import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readJson } from './fingerprint.mjs';
import { CommandError, lastLines, runCommand } from './run-command.mjs';
import { findRuntime, NODE_MODULES, ROOT } from './setup-paths.mjs';
import { SetupProblem } from './setup-problem.mjs';

/**
 * Whether packages are installed. npm lists in node_modules what it installed; the list must match the lock file and
 * the files. `npm install --package-lock-only` also writes that list but installs nothing, so the files are checked
 * too.
 */
export function isInstalled() {
  const installed = readJson(path.join(NODE_MODULES, '.package-lock.json'))?.packages;
  if (!installed || !findRuntime()) return false;
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'));
  const agrees = Object.entries(packages).every(
    ([name, wanted]) =>
      name === '' ||
      wanted.optional ||
      (installed[name]?.version === wanted.version && existsSync(path.join(ROOT, name))),
  );
  return agrees && ['esbuild', 'sqlite3', 'vitest'].every((name) => existsSync(path.join(NODE_MODULES, name)));
}

/** Install scripts of packages do not run; set-up builds the native modules with the bundled Node. */
export async function installPackages() {
  try {
    await installFromLockfile();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupProblem(explain(error), lastLines(error.output, 15));
  }
  if (!findRuntime()) {
    throw new SetupProblem(
      `npm has no bundled Node for ${process.platform}-${process.arch}; install Node 24 or newer and start again.`,
    );
  }
}

/**
 * After an update of a few packages `npm install` takes seconds and leaves the others as they are; `npm ci` would remove
 * and install all of them. What it leaves wrong is installed anew.
 */
async function installFromLockfile() {
  if (existsSync(path.join(NODE_MODULES, '.package-lock.json'))) {
    try {
      await npm('install', '--no-save');
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      // What keeps npm from mending the folder is in the way of the new start too, or gone by then.
    }
    if (isInstalled()) return;
  }
  await installAnew();
}

/**
 * `npm ci` refuses a lock file without the packages of other platforms, which some registry mirrors produce. `npm
 * install` then installs the same versions with the same integrity hashes.
 */
async function installAnew() {
  try {
    await npm('ci');
  } catch (error) {
    const isIncomplete = error instanceof CommandError && /EUSAGE/.test(error.output);
    if (!isIncomplete) throw error;
    await npm('install', '--no-save');
  }
}

function npm(...args) {
  const isWindows = process.platform === 'win32';
  const options = ['--ignore-scripts', '--no-audit', '--no-fund'];
  return runCommand(isWindows ? 'npm.cmd' : 'npm', [...args, ...options], { cwd: ROOT, shell: isWindows });
}

function explain({ message, output }) {
  if (/ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|network/i.test(output)) {
    return 'The npm registry cannot be reached; check the network (or the proxy settings of npm) and start again.';
  }
  if (/ENOSPC/.test(output)) return 'The disk is full; about 1 GB is needed.';
  if (/ENOENT/.test(message)) return 'npm was not found; it comes with Node.';
  return 'npm could not install the packages.';
}

import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CACHE, ROOT } from './setup-paths.mjs';
import { SetupProblem } from './setup-problem.mjs';

const LOCK_FILE = path.join(CACHE, 'setup.lock');
/** Held for a moment by the one process that may remove an abandoned lock. */
const REMOVAL_FILE = path.join(CACHE, 'setup.lock.removal');
const REMOVAL_LIMIT_MS = 10_000;
const AGE_LIMIT_MS = 15 * 60_000;

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** The process that holds the lock, if it still runs. After the age limit its number may belong to another process. */
function holder() {
  try {
    const pid = Number(readFileSync(LOCK_FILE, 'utf8'));
    const isFresh = Date.now() - statSync(LOCK_FILE).mtimeMs < AGE_LIMIT_MS;
    return isFresh && isAlive(pid) ? pid : undefined;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function tryCreate(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Only one process at a time removes the lock, and it checks again: another process may have taken the lock meanwhile.
 */
function removeAbandoned() {
  if (!tryCreate(REMOVAL_FILE)) {
    const stat = statSync(REMOVAL_FILE, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.mtimeMs > REMOVAL_LIMIT_MS) rmSync(REMOVAL_FILE, { force: true });
    return;
  }
  try {
    if (holder() === undefined) rmSync(LOCK_FILE, { force: true });
  } finally {
    rmSync(REMOVAL_FILE, { force: true });
  }
}

/** Two set-ups at the same time would damage node_modules, so the second waits for the first. */
export async function withLock(work, onWait) {
  await acquire(onWait);
  try {
    return await work();
  } finally {
    rmSync(LOCK_FILE, { force: true });
  }
}

async function acquire(onWait) {
  let hasWaited = false;
  try {
    mkdirSync(CACHE, { recursive: true });
    while (!tryCreate(LOCK_FILE)) {
      const pid = holder();
      if (pid === undefined) removeAbandoned();
      else if (!hasWaited) onWait(pid);
      hasWaited ||= pid !== undefined;
      await delay(pid === undefined ? 20 : 200);
    }
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
    throw new SetupProblem(
      `Set-up has something to do and cannot write to ${ROOT}. Run "npm run setup" there as the user that the folder belongs to.`,
    );
  }
}

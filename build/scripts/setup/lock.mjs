import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CACHE } from './setup-paths.mjs';

const LOCK_FILE = path.join(CACHE, 'setup.lock');
const AGE_LIMIT_MS = 15 * 60_000;

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** The process that holds the lock, if it still lives; after the age limit its number may be someone else's. */
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

function tryLock() {
  try {
    writeFileSync(LOCK_FILE, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Two set-ups at once would tear each other's node_modules apart: the second waits for the first. */
export async function withLock(work, onWait) {
  mkdirSync(CACHE, { recursive: true });
  let hasWaited = false;
  while (!tryLock()) {
    const pid = holder();
    if (pid === undefined) rmSync(LOCK_FILE, { force: true });
    else {
      if (!hasWaited) onWait(pid);
      hasWaited = true;
      await delay(200);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(LOCK_FILE, { force: true });
  }
}

import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CACHE, ROOT } from './setup-paths.mjs';
import { SetupProblem } from './setup-problem.mjs';

const REMOVAL_LIMIT_MS = 10_000;
const AGE_LIMIT_MS = 15 * 60_000;

export function isProcessAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** The process that holds the lock, if it still runs. After the age limit its number may belong to another process. */
function holder(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    const isFresh = Date.now() - statSync(file).mtimeMs < AGE_LIMIT_MS;
    return isFresh && isProcessAlive(pid) ? pid : undefined;
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
function removeAbandoned(file) {
  const removal = `${file}.removal`;
  if (!tryCreate(removal)) {
    const stat = statSync(removal, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.mtimeMs > REMOVAL_LIMIT_MS) rmSync(removal, { force: true });
    return;
  }
  try {
    if (holder(file) === undefined) rmSync(file, { force: true });
  } finally {
    rmSync(removal, { force: true });
  }
}

/**
 * Two set-ups at the same time would damage node_modules, so the second waits for the first. `work` is given a function
 * that keeps the lock from ageing; long work calls it as long as it goes on.
 */
export async function withLock(work, onWait, name = 'setup') {
  const file = path.join(CACHE, `${name}.lock`);
  await acquire(file, onWait);
  try {
    return await work(() => utimesSync(file, new Date(), new Date()));
  } finally {
    rmSync(file, { force: true });
  }
}

async function acquire(file, onWait) {
  let hasWaited = false;
  try {
    mkdirSync(CACHE, { recursive: true });
    while (!tryCreate(file)) {
      const pid = holder(file);
      if (pid === undefined) removeAbandoned(file);
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

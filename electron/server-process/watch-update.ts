import { spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { afterUpdate, FORMER_FILES, type FormerVersion, formerVersion, startMark } from '../rules/former-version.ts';
import { isSystemError } from './system-error.ts';

/**
 * A process of its own, on a copy of the bundled Node: it outlives the version that is replaced, waits until the new one
 * has started, and puts the former one back when it does not. Its argument is the folder with what was kept.
 */
const POLL_MS = 250;

async function watch(folder: string): Promise<void> {
  const waitsFrom = performance.now();
  for (;;) {
    const former = read(folder, FORMER_FILES.former, formerVersion);
    if (!former) return;
    const mark = read(folder, FORMER_FILES.mark, startMark);
    // The installation begins when the former version has ended.
    const hasBegun = !exists(former.pid);
    const waitedMs = hasBegun ? performance.now() - waitsFrom : 0;
    const next = afterUpdate({ former, mark, isAlive: mark !== undefined && exists(mark.pid), waitedMs });
    if (next === 'done') return;
    if (next !== 'wait') return goBack(folder, former, next.back);
    await sleep(POLL_MS);
  }
}

function goBack(folder: string, former: FormerVersion, reason: string): void {
  const { backup, copy, next: version, program, replacedBy, start } = former;
  const failed = `${program}.failed`;
  rmSync(failed, { recursive: true, force: true });
  if (existsSync(program)) renameSync(program, failed);
  cpSync(copy, program, { recursive: true, verbatimSymlinks: true });
  rmSync(failed, { recursive: true, force: true });
  if (replacedBy !== null && replacedBy !== program) rmSync(replacedBy, { force: true });
  writeFileSync(path.join(folder, FORMER_FILES.wentBack), JSON.stringify({ version, reason, backup }));
  rmSync(path.join(folder, FORMER_FILES.former));
  const [command = '', ...args] = start;
  spawn(command, args, { detached: true, stdio: 'ignore' }).unref();
}

function read<Schema extends z.ZodType>(folder: string, name: string, schema: Schema): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(readFileSync(path.join(folder, name), 'utf8'))).data;
  } catch (error) {
    // Not written yet, or half written.
    if (isSystemError(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process has this number now.
    return isSystemError(error) && error.code === 'EPERM';
  }
}

await watch(process.argv[2] ?? '');

import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect } from 'vitest';

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  pid: number;
  parent: number;
  /** Of the process and of those it started that have ended. */
  seconds: number;
}

function timesOf(pid: string): ProcessTimes[] {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It ended since the folder was listed.
    return [];
  }
  // The name of the program stands in brackets and may contain anything.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0);
  return [{ pid: Number(pid), parent: fields[1] ?? 0, seconds: ticks / TICKS_PER_SECOND }];
}

/** Processor seconds of this process and of all its child processes so far. */
function processorSeconds(): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(timesOf);
  const family = new Set([process.pid]);
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  return all.filter(({ pid }) => family.has(pid)).reduce((sum, { seconds }) => sum + seconds, 0);
}

const ledger = process.env['HOMEPORT_TEST_TIMES'] ?? '';
const GLOBAL = globalThis as { processorSecondsSoFar?: number };

// Registered before the hook of the leak check, so that it runs after that hook.
afterAll(() => {
  const before = GLOBAL.processorSecondsSoFar ?? 0;
  const now = processorSeconds();
  GLOBAL.processorSecondsSoFar = now;
  const file = path.relative(process.cwd(), expect.getState().testPath ?? '');
  appendFileSync(ledger, `${(now - before).toFixed(2)}\t${file}\t${process.pid}\n`);
});

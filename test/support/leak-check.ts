import { afterAll } from 'vitest';
import { lastingProcesses } from './lasting-processes.ts';
import { removeLeftHomes } from './temp-home.ts';
import { waitFor } from './wait-for.ts';

/** Milliseconds for processes and folders that are about to end. */
const LIMIT_MS = 10_000;

/** Processes that keep this one alive, except esbuild's and shared browsers, which outlive their use on purpose. */
export const runningProcesses = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length - lastingProcesses();

/** Throws when more processes than `before` still run after `limitMs`, or when a temporary folder still exists. */
export async function failOnLeaks(before: number, limitMs: number): Promise<void> {
  const homes = await removeLeftHomes();
  if (homes.length > 0) throw new Error(`Folders are left behind: remove them in an afterAll.\n${homes.join('\n')}`);
  await waitFor(() => runningProcesses() <= before, { limitMs }).catch(() => {
    throw new Error(`Processes are left running (${runningProcesses() - before}): end them in an afterAll.`);
  });
}

// Vitest runs this file before each test file, so that the hook runs after all hooks of the test file.
const processesBefore = runningProcesses();
afterAll(() => failOnLeaks(processesBefore, LIMIT_MS));

// @module-tag slow
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';

const ENTRY = fileURLToPath(new URL('./sandbox-owner.ts', import.meta.url));
let owner: ChildProcess;
let worker: number;

beforeEach(async () => {
  owner = fork(ENTRY);
  [worker] = (await once(owner, 'message')) as [number];
});
afterEach(() => {
  owner.kill('SIGKILL');
  if (isAlive(worker)) process.kill(worker, 'SIGKILL');
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a function worker', () => {
  it('ends when its server is killed', async () => {
    owner.kill('SIGKILL');

    await waitFor(() => !isAlive(worker), { what: 'the end of the worker' });
  });

  // A stopped process reacts to nothing, like one whose main thread never returns.
  it.skipIf(process.platform === 'win32')('ends when its server is killed, although it reacts to nothing', async () => {
    process.kill(worker, 'SIGSTOP');
    expect(isAlive(worker)).toBe(true);

    owner.kill('SIGKILL');

    await waitFor(() => !isAlive(worker), { what: 'the end of the worker' });
  });
});

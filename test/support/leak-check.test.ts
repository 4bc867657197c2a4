import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { failOnLeaks, runningProcesses } from './leak-check.ts';
import { createTempHome } from './temp-home.ts';

describe('failOnLeaks', () => {
  it('names a folder that was left behind, once', async () => {
    const home = await createTempHome();

    await expect(failOnLeaks(runningProcesses(), 0)).rejects.toThrow(home.path);
    await failOnLeaks(runningProcesses(), 0);
  });

  it('counts the processes that still run', async () => {
    const before = runningProcesses();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);

    await expect(failOnLeaks(before, 0)).rejects.toThrow('left running (1)');
    child.kill();
    await once(child, 'exit');
    await failOnLeaks(before, 1000);
  });
});

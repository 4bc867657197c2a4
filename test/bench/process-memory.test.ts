import { describe, expect, it } from 'vitest';
import { startBaseline } from './baseline-process.ts';
import { residentMegabytes } from './process-memory.ts';

describe.skipIf(process.platform !== 'linux')('residentMegabytes', () => {
  it('counts a process and its children', async () => {
    const alone = (await residentMegabytes(process.pid)) ?? 0;
    const child = await startBaseline('hello-server');
    try {
      const childAlone = (await residentMegabytes(child.pid)) ?? 0;
      const together = (await residentMegabytes(process.pid)) ?? 0;

      expect(childAlone).toBeGreaterThan(20);
      expect(together).toBeGreaterThan(Math.max(alone, childAlone));
    } finally {
      await child.stop();
    }
  });
});

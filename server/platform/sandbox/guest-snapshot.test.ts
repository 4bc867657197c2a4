import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTempHome } from '../../../test/support/temp-home.ts';
import { readGuestSnapshot, writeGuestSnapshot } from './guest-snapshot.ts';

describe('the stored snapshot of the guest', () => {
  const bytes = Uint8Array.from([1, 10, 2, 10, 3]);

  const withFile = async (use: (path: string) => Promise<void>) => {
    const home = await createTempHome();
    const path = join(home.path, 'guest.snapshot');
    try {
      await writeGuestSnapshot(path, 'code', bytes);
      await use(path);
    } finally {
      await home.remove();
    }
  };

  it('comes back as it was stored, for the code that it was made from', () =>
    withFile(async (path) => {
      expect([...((await readGuestSnapshot(path, 'code')) ?? [])]).toEqual([...bytes]);
      expect(await readGuestSnapshot(path, 'other code')).toBeUndefined();
    }));

  it('is not used when it is missing, damaged or of another Node', () =>
    withFile(async (path) => {
      const text = await readFile(path, 'latin1');
      const readChanged = async (changed: string) => {
        await writeFile(path, changed, 'latin1');
        return readGuestSnapshot(path, 'code');
      };

      expect(await readGuestSnapshot(`${path}.missing`, 'code')).toBeUndefined();
      expect(await readChanged(text.replace(process.version, 'v24.0.0'))).toBeUndefined();
      expect(await readChanged(text.slice(0, -1))).toBeUndefined();
      expect(await readChanged('')).toBeUndefined();
      expect(await readChanged(text)).toBeDefined();
      await appendFile(path, 'x');
      expect(await readGuestSnapshot(path, 'code')).toBeUndefined();
    }));
});

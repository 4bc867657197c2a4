import { describe, expect, it } from 'vitest';
import { replaceFile } from './snapshot-files.ts';

describe('replaceFile', () => {
  it.skipIf(process.platform !== 'linux')('says that a folder cannot be made', async () => {
    const noPieces = (async function* () {})();
    await expect(replaceFile('/proc/homeport', 'acme/Item.parquet', noPieces)).rejects.toThrow(
      'The folder of the snapshots cannot be written: it is not there and cannot be made.',
    );
  });
});

import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { randomIds } from '../platform/lib/ids.ts';
import { createRecordFiles } from './record-files.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'record-files-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function* onePage() {
  yield [];
}

describe('RecordFiles', () => {
  it('exports after its folder could not be emptied once', async () => {
    const parent = join(root, 'data');
    const files = createRecordFiles({ folder: join(parent, 'exports'), ids: randomIds });
    // A file in the place of a folder.
    await writeFile(parent, '');
    await expect(files.write('Contact', onePage(), () => false)).rejects.toMatchObject({ code: 'ENOTDIR' });
    await rm(parent);

    const file = await files.write('Contact', onePage(), () => false);

    expect((await stat(file?.path ?? '')).size).toBeGreaterThan(0);
    await file?.remove();
  });
});

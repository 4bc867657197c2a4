import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from './make-folder.ts';
import { writeNewFile } from './write-new-file.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'homeport-folder-'));
});
afterEach(() => rm(root, { recursive: true }));

describe('makeFolder', () => {
  it('makes a folder with its parents, and leaves one that is there', async () => {
    const folder = join(root, 'a/b/c');
    await makeFolder(folder, 0o700);
    await makeFolder(folder);
    expect((await stat(folder)).isDirectory()).toBe(true);
    expect((await stat(join(root, 'a'))).mode & 0o077).toBe(0);
  });

  it('makes one that is asked for twice at once', async () => {
    await Promise.all(['a/b/c', 'a/b/d', 'a/b/c'].map((path) => makeFolder(join(root, path))));
    expect((await stat(join(root, 'a/b/d'))).isDirectory()).toBe(true);
  });

  it('refuses the place of a file, and what is below it', async () => {
    await writeFile(join(root, 'file'), '');
    await expect(makeFolder(join(root, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makeFolder(join(root, 'file/a/b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  // Node's `mkdir` with parents never ends there.
  it.skipIf(process.platform !== 'linux')('ends where the system makes no folders', async () => {
    await expect(makeFolder('/proc/homeport/a/b')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(writeNewFile('/proc/homeport', 'a/b', '')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

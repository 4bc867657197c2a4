import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readKeyFile, writeKeyFile } from './key-file.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-key-file-'));
  path = join(folder, 'master.key');
});
afterEach(() => rm(folder, { recursive: true }));

describe('writeKeyFile', () => {
  it('writes a file that only its owner can read, and leaves no other file', async () => {
    await writeKeyFile(path, 'the key');

    expect(await readKeyFile(path)).toEqual(['the key']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['master.key']);
  });

  it.each([
    ['the empty file', 'master.key', ''],
    ['the incomplete temporary file', 'master.key.next', 'the k'],
  ])('writes the key beside or over %s of a process that was killed', async (_, name, text) => {
    await writeFile(join(folder, name), text);

    await writeKeyFile(path, 'the key');

    expect(await readKeyFile(path)).toEqual(['the key']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['master.key']);
  });

  it('never replaces a key', async () => {
    await writeFile(path, 'the first key\n');

    await expect(writeKeyFile(path, 'another key')).rejects.toThrow('key');

    expect(await readFile(path, 'utf8')).toBe('the first key\n');
  });
});

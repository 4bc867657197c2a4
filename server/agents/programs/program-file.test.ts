import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeProgramFile } from './program-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-program-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('copies the file before each change: a second one within a second does not replace the copy of the first', async () => {
  const file = join(folder, 'mcp.json');
  await writeFile(file, 'first');
  const now = new Date('2026-06-01T12:00:00.000Z');

  const copies = [
    await writeProgramFile({ file, text: 'first' }, 'second', now),
    await writeProgramFile({ file, text: 'second' }, 'third', now),
  ];

  expect(await Promise.all(copies.map((copy = '') => readFile(copy, 'utf8')))).toEqual(['first', 'second']);
});

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, sep } from 'node:path';
import { TransferFailure } from './hub-calls.ts';

const SKIPPED = new Set(['node_modules', 'build', 'dist']);
const KEPT = /\.(?:ts|json|ya?ml|md)$/;

/** Every source file of a functions folder, with helpers and recordings, by its path with `/`. */
export async function readFunctionFiles(root: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
      .slice(root.length + 1)
      .replaceAll('\\', '/');
    const isHidden = path.split('/').some((part) => part.startsWith('.') || SKIPPED.has(part));
    if (entry.isFile() && !isHidden && KEPT.test(path)) files[path] = await readFile(join(root, path), 'utf8');
  }
  return files;
}

/** Path of an exported file below `root`. Throws TransferFailure for a path that leads out of it. */
export function pathBelow(root: string, path: string): string {
  const inside = normalize(path);
  if (inside.startsWith('..') || inside.startsWith(sep) || /^[a-z]:/i.test(inside))
    throw new TransferFailure(`The file names a path outside the functions folder: ${path}`);
  return join(root, inside);
}

/** Writes the files to a temporary folder, runs `work` and deletes the folder. */
export async function withFunctionFiles<T>(
  files: Record<string, string>,
  work: (root: string) => Promise<T>,
): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), 'homeport-import-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      const target = pathBelow(root, path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text);
    }
    return await work(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

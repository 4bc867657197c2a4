import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasErrorCode } from './error-code.ts';
import { HomeportError } from './homeport-error.ts';

/** Longest file that is read, unless the caller says otherwise. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a file below a folder; undefined when there is none. `path` is relative, with `/`. Throws `forbidden` when the
 * path leaves the folder, also by a link.
 */
export async function readInside(root: string, path: string, maxBytes = MAX_BYTES): Promise<string | undefined> {
  const file = await placeInside(root, path);
  if (file === undefined) return undefined;
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    // Without O_NOFOLLOW on Windows, where only administrators make links.
    handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    if (hasErrorCode(error, 'ELOOP')) throw linked(path);
    throw error;
  }
  try {
    const found = await handle.stat();
    requirePlain(found, path);
    if (found.size > maxBytes) throw new HomeportError('request_too_large', `${path} is too long to be read.`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** Writes a file below a folder, which exists: the whole text or nothing. Throws as `readInside`. */
export async function writeInside(root: string, path: string, text: string): Promise<void> {
  const folders = path.split('/').slice(0, -1);
  requirePlainPath(path);
  let made = await realpath(root);
  for (const folder of folders) {
    made = join(made, folder);
    await mkdir(made).catch((error: unknown) => {
      if (!hasErrorCode(error, 'EEXIST')) throw error;
    });
    const found = await lstat(made);
    if (!found.isDirectory()) throw linked(path);
  }
  const file = (await placeInside(root, path)) ?? join(made, path.split('/').at(-1) ?? '');
  const found = await statOf(file);
  if (found) requirePlain(found, path);
  const temporary = join(dirname(file), `.${path.split('/').at(-1)}.${process.pid}.tmp`);
  await rm(temporary, { force: true });
  const handle = await open(temporary, 'wx', found ? found.mode & 0o777 : 0o644);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  // Replaces a link that was made meanwhile instead of following it.
  await rename(temporary, file);
}

/** The path of the file; undefined when one of its folders does not exist. */
async function placeInside(root: string, path: string): Promise<string | undefined> {
  requirePlainPath(path);
  // The folder itself may be a link: its owner made it.
  let current = await realpath(root);
  const names = path.split('/');
  for (const folder of names.slice(0, -1)) {
    current = join(current, folder);
    const found = await statOf(current);
    if (!found) return undefined;
    if (!found.isDirectory()) throw linked(path);
  }
  const file = join(current, names.at(-1) ?? '');
  const found = await statOf(file);
  if (found?.isSymbolicLink()) throw linked(path);
  return file;
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function requirePlainPath(path: string): void {
  const names = path.split('/');
  if (names.every((name) => name !== '' && !name.startsWith('.') && !/[\\\0]/.test(name))) return;
  throw new HomeportError('forbidden', `${JSON.stringify(path.slice(0, 200))} is not a path below the folder.`);
}

/** A second name of a file is a way out of the folder too. */
function requirePlain(found: Stats, path: string): void {
  if (!found.isFile() || found.nlink > 1) throw linked(path);
}

const linked = (path: string): HomeportError =>
  new HomeportError('forbidden', `${path} is a link, or in a folder that is one. Links are not followed.`);

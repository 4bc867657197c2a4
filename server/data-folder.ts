import { constants } from 'node:fs';
import { access, chmod, lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCodeOf, hasErrorCode } from './platform/lib/error-code.ts';
import { makeFolder } from './platform/lib/make-folder.ts';
import { StartError } from './platform/lib/start-error.ts';

/** Files that earlier versions created with modes from the user's umask. Newer files are created private. */
const OWN_ENTRIES = /^(?:homeport\.(?:db|lock)|master\.key|server\.json|journal$|cache$|backups$|functions$)/;
const OTHERS = 0o077;

/** Creates the folder for its user alone, if it does not exist. Throws StartError when the folder cannot be used. */
export async function makeDataFolder(home: string): Promise<void> {
  await explaining(home, home, () => makeFolder(home, 0o700));
  await requireUsableFolder(home);
}

/** Throws StartError when a start could not use or create the folder. Writes nothing. */
export async function requireUsableFolder(home: string): Promise<void> {
  if (!(await isThere(home))) {
    let parent = dirname(home);
    while (parent !== dirname(parent) && !(await isThere(parent))) parent = dirname(parent);
    return explaining(home, home, () => access(parent, constants.W_OK | constants.X_OK));
  }
  await explaining(home, home, async () => {
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
    // A file may have these rights, too.
    await readdir(home);
  });
  const own = (await readdir(home)).filter((name) => /^homeport\.(?:db|lock)/.test(name));
  for (const file of own.map((name) => join(home, name)))
    await explaining(home, file, () => access(file, constants.R_OK | constants.W_OK));
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return false;
    // Refused, or a part of the path is a file: using it says why.
    return true;
  }
}

const REASONS: Record<string, string> = {
  EACCES: 'this user may not read and write it. Give it to this user (chown)',
  EPERM: 'this user may not read and write it. Give it to this user (chown)',
  EROFS: 'it is on a read-only file system. Make that writable',
  EEXIST: 'a file has this name. Move the file away',
  ENOTDIR: 'a part of its path is a file, not a folder. Correct the path',
  ENOENT: 'a folder cannot be created there. Correct the path',
  ENOSPC: 'the disk is full. Free some space',
};

async function explaining(home: string, path: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const reason = REASONS[errorCodeOf(error) ?? ''];
    if (reason === undefined) throw error;
    const what = path === home ? `The data folder ${home}` : `The file ${path} of the data folder`;
    throw new StartError(`${what} cannot be used: ${reason}, or set HOMEPORT_HOME to another folder.`, {
      cause: error,
    });
  }
}

/**
 * Removes the rights of other users from a data folder and the hub's files in it; other files in the folder are left
 * unchanged. Resolves to sentences for the user about what others could read until now.
 */
export async function makePrivate(home: string): Promise<string[]> {
  // Windows has no such modes; a user's folders are private there.
  if (process.platform === 'win32') return [];
  const names = (await readdir(home)).filter((name) => OWN_ENTRIES.test(name));
  const folder = await removeRights(home);
  const entries = await Promise.all(
    names.map(async (name) => ({ name, rights: await removeRights(join(home, name)) })),
  );
  const changed = entries.filter(({ rights }) => rights !== 'none');
  if (folder === 'none' && changed.length === 0) return [];
  for (const { name } of entries) await removeRightsBelow(join(home, name));
  if (folder === 'none') return [];
  if (folder === 'kept')
    return [`Other users of this computer can read the data folder ${home}: its file system has no file permissions.`];
  return [
    `Other users of this computer could read the data folder ${home}. It is private from now on.`,
    ...(changed.some(({ name }) => name === 'master.key')
      ? ['They could also read its key file master.key. If you do not trust them, renew the stored credentials.']
      : []),
  ];
}

async function removeRightsBelow(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return;
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true }))
    await removeRights(join(entry.parentPath, entry.name));
}

/**
 * Removes the rights of others and returns what was done. Links are skipped, because their targets are not part of the
 * folder.
 */
async function removeRights(path: string): Promise<'none' | 'removed' | 'kept'> {
  try {
    const stats = await lstat(path);
    if (stats.isSymbolicLink() || (stats.mode & OTHERS) === 0) return 'none';
    await chmod(path, stats.mode & 0o700);
    return (await lstat(path)).mode & OTHERS ? 'kept' : 'removed';
  } catch (error) {
    // The file was removed meanwhile, or its file system has no modes.
    if (hasErrorCode(error, 'ENOENT')) return 'none';
    if (hasErrorCode(error, 'EPERM', 'ENOTSUP')) return 'kept';
    throw error;
  }
}

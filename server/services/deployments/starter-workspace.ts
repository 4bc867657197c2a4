import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { StartError } from '../../lib/start-error.ts';

/**
 * Makes the workspace on the first start and puts the example functions in. A folder that exists is the user's, and one
 * that is away while functions of it are known comes back by the user's hand (design.md 7.30). Resolves to whether it was made. Throws StartError for a path that is no
 * folder, and for one that was named and lies in no folder: it is misspelled.
 */
export async function prepareWorkspace({
  workspace,
  isNamed,
  templates,
  hasFunctions,
}: {
  workspace: string;
  isNamed: boolean;
  templates: string;
  hasFunctions: () => Promise<boolean>;
}): Promise<boolean> {
  const found = await kindOf(workspace);
  if (found === 'other')
    throw new StartError(`HOMEPORT_FUNCTIONS is ${workspace}, which is a file. It must be a folder.`);
  if (found === 'folder' || (await hasFunctions())) return false;
  if (isNamed && (await kindOf(dirname(workspace))) !== 'folder')
    throw new StartError(
      `HOMEPORT_FUNCTIONS is ${workspace}, but there is no folder ${dirname(workspace)}. Correct it, or make that folder.`,
    );
  await mkdir(workspace, { recursive: true });
  for (const entry of await readdir(join(templates, 'practice'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const source = join(entry.parentPath, entry.name);
    const target = join(workspace, relative(templates, source));
    await mkdir(dirname(target), { recursive: true });
    // Not `cp`: it would take over the modes of the installation, which others may read.
    await writeFile(target, await readFile(source));
  }
  return true;
}

/** Whether a file is as it was shipped: nothing about it needs to be found out. */
export function isShippedExample(workspace: string, templates: string, path: string): boolean {
  const shipped = readIfThere(join(templates, path));
  return shipped !== undefined && readIfThere(join(workspace, path)) === shipped;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Most functions are no example.
    return undefined;
  }
}

async function kindOf(path: string): Promise<'folder' | 'other' | 'none'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return 'none';
    throw error;
  }
}

import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { errorCodeOf, hasErrorCode } from '../../platform/lib/error-code.ts';
import { makeFolder } from '../../platform/lib/make-folder.ts';
import { StartError } from '../../platform/lib/start-error.ts';

/**
 * Creates the workspace on the first start, with the example functions. An existing folder belongs to the user and is
 * left unchanged. A missing folder with known functions is not created again: the user must bring it back (design.md
 * 7.30). Resolves to whether it was created. Throws StartError for a path that is not a folder, and for a configured
 * path whose parent folder does not exist, because it is probably misspelled.
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
  await makeFolder(workspace).catch((error: unknown) => {
    throw new StartError(
      `The functions folder ${workspace} cannot be made (${errorCodeOf(error) ?? 'unknown'}). Correct its path, or make it.`,
      { cause: error },
    );
  });
  for (const entry of await readdir(join(templates, 'practice'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const source = join(entry.parentPath, entry.name);
    const target = join(workspace, relative(templates, source));
    await makeFolder(dirname(target));
    // Not `cp`, which would copy the file modes of the installation, so that other users could read the files.
    await writeFile(target, await readFile(source));
  }
  return true;
}

/** Whether a file is an unchanged shipped example, about which nothing needs to be reported. */
export function shippedExamples(workspace: string, templates: string): (path: string) => boolean {
  let folders: ReadonlySet<string> | undefined;
  return (path) => {
    // A start asks about each of thousands of functions; the folders of the installation never change.
    folders ??= new Set(readdirSync(templates));
    if (!folders.has(path.split('/')[0] ?? '')) return false;
    const shipped = readIfExists(join(templates, path));
    return shipped !== undefined && readIfExists(join(workspace, path)) === shipped;
  };
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Most functions are not examples.
    return undefined;
  }
}

async function kindOf(path: string): Promise<'folder' | 'other' | 'none'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR')) return 'none';
    throw error;
  }
}

import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/**
 * Makes the workspace on the first start and puts the example functions in. A folder that exists is the user's, and one
 * that is away while functions of it are known comes back by the user's hand (design.md 7.30).
 */
export async function prepareWorkspace(
  workspace: string,
  templates: string,
  hasFunctions: () => Promise<boolean>,
): Promise<void> {
  if ((await exists(workspace)) || (await hasFunctions())) return;
  await mkdir(workspace, { recursive: true });
  for (const entry of await readdir(join(templates, 'practice'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const source = join(entry.parentPath, entry.name);
    const target = join(workspace, relative(templates, source));
    await mkdir(dirname(target), { recursive: true });
    // Not `cp`: it would take over the modes of the installation, which others may read.
    await writeFile(target, await readFile(source));
  }
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
    // Most functions are nobody's example.
    return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

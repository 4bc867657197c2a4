import { cp, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes the workspace on the first start and puts the example functions in; a folder that exists is the user's. */
export async function prepareWorkspace(workspace: string, templates: string): Promise<void> {
  if (await exists(workspace)) return;
  await mkdir(workspace, { recursive: true });
  await cp(join(templates, 'practice'), join(workspace, 'practice'), { recursive: true });
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

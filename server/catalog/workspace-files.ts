import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CatalogFile } from './read-entries.ts';

/** Whether a path, relative to the workspace, contains provider entries (providers.md 12). */
export function isCatalogPath(path: string): boolean {
  return path === 'providers.yaml' || /^providers\.d(\/[^/]+\.yaml)?$/.test(path);
}

/** Reads the workspace's catalogue files in merge order: `providers.yaml`, then `providers.d` by name. */
export async function readWorkspaceCatalog(workspace: string): Promise<CatalogFile[]> {
  const names = await listFolder(join(workspace, 'providers.d'));
  const paths = [
    'providers.yaml',
    ...names
      .filter((name) => name.endsWith('.yaml'))
      .sort()
      .map((name) => `providers.d/${name}`),
  ];
  const files = await Promise.all(paths.map((path) => readOptional(workspace, path)));
  return files.filter((file) => file !== undefined);
}

async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function readOptional(workspace: string, path: string): Promise<CatalogFile | undefined> {
  try {
    return { path, text: await readFile(join(workspace, path), 'utf8') };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

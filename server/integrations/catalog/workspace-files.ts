import { join } from 'node:path';
import { namesIn, readIfExists } from '../../platform/lib/read-if-exists.ts';
import type { CatalogFile } from './read-entries.ts';

/** Whether a path, relative to the workspace, contains provider entries (providers.md 12). */
export function isCatalogPath(path: string): boolean {
  return path === 'providers.yaml' || /^providers\.d(\/[^/]+\.yaml)?$/.test(path);
}

/** Reads the workspace's catalogue files in merge order: `providers.yaml`, then `providers.d` by name. */
export async function readWorkspaceCatalog(workspace: string): Promise<CatalogFile[]> {
  const names = await namesIn(join(workspace, 'providers.d'));
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

async function readOptional(workspace: string, path: string): Promise<CatalogFile | undefined> {
  const text = await readIfExists(join(workspace, path));
  return text === undefined ? undefined : { path, text };
}

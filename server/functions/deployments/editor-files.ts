import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  EDITOR_TYPES_CONFIG,
  EDITOR_TYPES_FOLDER,
  FOLDER_TSCONFIG,
  INTEGRATION_TSCONFIG,
} from '../../../functions/compiler/editor-config.ts';
import { writeVersionedFolder } from '../../platform/lib/versioned-folder.ts';
import { writeNewFile } from '../../platform/lib/write-new-file.ts';

/** What the installation knows about the types of functions. */
export interface EditorTypes {
  version: string;
  readSdkTypes(): Promise<Record<string, string>>;
}

/**
 * Writes what an editor needs for the typed requests of an integration in the functions folder, which has no packages.
 * A `tsconfig.json` that is there belongs to the user and is kept.
 */
export async function writeEditorFiles(
  workspace: string,
  integrationKey: string,
  { version, readSdkTypes }: EditorTypes,
): Promise<void> {
  await writeVersionedFolder(workspace, EDITOR_TYPES_FOLDER, version, async () => ({
    ...EDITOR_TYPES_CONFIG,
    ...(await readSdkTypes()),
    ...(await readZodTypes()),
  }));
  await writeNewFile(workspace, 'tsconfig.json', FOLDER_TSCONFIG);
  await writeNewFile(workspace, `${integrationKey}/tsconfig.json`, INTEGRATION_TSCONFIG);
}

/** A third of a megabyte. A path to the installation would end with its next update. */
async function readZodTypes(): Promise<Record<string, string>> {
  const folder = dirname(createRequire(import.meta.url).resolve('zod/package.json'));
  const files: Record<string, string> = {};
  for (const path of ['index.d.ts', ...(await typesBelow(folder, 'v4'))])
    files[`zod/${path}`] = await readFile(join(folder, path), 'utf8');
  return files;
}

async function typesBelow(root: string, folder: string): Promise<string[]> {
  const paths = await readdir(join(root, folder), { recursive: true });
  return paths.filter((path) => path.endsWith('.d.ts')).map((path) => `${folder}/${path.replaceAll('\\', '/')}`);
}

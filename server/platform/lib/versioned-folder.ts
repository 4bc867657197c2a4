import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfExists } from './read-if-exists.ts';
import { writeProjectFile } from './write-new-file.ts';

/** Replaces the folder by the files of this version, unless it has them already. */
export async function writeVersionedFolder(
  root: string,
  folder: string,
  version: string,
  readFiles: () => Promise<Record<string, string>>,
): Promise<void> {
  const versionFile = `${folder}/version`;
  if ((await readIfExists(join(root, versionFile))) === version) return;
  const files = await readFiles();
  await rm(join(root, folder), { recursive: true, force: true });
  for (const [name, text] of Object.entries(files)) await writeProjectFile(root, `${folder}/${name}`, text);
  // Written last, so that an interrupted update is repeated.
  await writeProjectFile(root, versionFile, version);
}
